import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readMessages } from "./read-message.ts";
import { sniffId } from "./sniff-id.ts";

describe("readMessages", () => {
  it("forwards the result exactly as it was written, wherever it stands", () => {
    const result = '{"a":1.0, "b":12345678901234567890 ,"c":"\\u00e9","d":[{ }],"isError":true}';
    const texts = [
      `{"jsonrpc":"2.0","id":7,"result":${result}}`,
      `{"result": ${result} ,"jsonrpc":"2.0","id":7}`,
      `{"x":{"result":{}},"id":7,"result":${result},"z":"}"}`,
      `{"id":7,"result":{"first":1},"result":${result}}`,
    ];
    for (const text of texts) {
      expect(readMessages(text)).toMatchObject([
        { kind: "answer", id: 7, reply: { kind: "result", json: result, isError: true } },
      ]);
    }
  });

  it("never cuts anything but the value that a parser reads", () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.jsonValue()),
        fc.dictionary(fc.string(), fc.jsonValue()),
        (extra, result) => {
          const { method: _method, error: _error, ...rest } = extra;
          const text = JSON.stringify({ ...rest, id: 1, result }, null, 1);
          const [message] = readMessages(text);
          const reply = message?.kind === "answer" ? message.reply : null;
          expect(JSON.parse(reply?.json ?? "null")).toEqual(JSON.parse(JSON.stringify(result)));
        },
      ),
    );
  });

  it("passes an error whole and reads its code and message", () => {
    const error = '{"code":-32602,"message":"no","data":{"n":1.0},"more":[]}';
    expect(readMessages(`{"jsonrpc":"2.0","id":1,"error":${error}}`)).toMatchObject([
      { reply: { kind: "error", json: error, code: -32602, message: "no", data: { n: 1 } } },
    ]);
  });

  it("calls an answer that is neither a result nor an error of MCP none", () => {
    for (const body of [
      '"result":"text"',
      '"result":[]',
      '"error":"no"',
      '"error":{"code":"x","message":"m"}',
      '"result":{},"error":{}',
    ]) {
      expect(readMessages(`{"jsonrpc":"2.0","id":1,${body}}`)).toEqual([{ kind: "answer", id: 1, reply: null }]);
    }
  });

  it("reads the parts of a batch", () => {
    const text =
      '[{"id":1,"result":{"a":1.0}},{"method":"notifications/x","params":{"b":2.0}},{"id":"q","method":"ping"},7]';
    expect(readMessages(text)).toMatchObject([
      { kind: "answer", id: 1, reply: { json: '{"a":1.0}' } },
      { kind: "notification", method: "notifications/x", paramsJson: '{"b":2.0}' },
      { kind: "request", id: '"q"', method: "ping" },
    ]);
  });

  it("finds no message in what is not JSON-RPC", () => {
    for (const text of ["", "log line", "{", "[1,2]", "null", '"x"', '{"jsonrpc":"2.0"}', '{"id":1}']) {
      expect(readMessages(text)).toEqual([]);
    }
  });
});

describe("sniffId", () => {
  it("finds the id of an answer of which only the ends are known", () => {
    expect(sniffId('{"jsonrpc":"2.0","id":12,"result":{"content":[', "")).toBe(12);
    expect(sniffId('{ "id" : 3 , "result":', "")).toBe(3);
    expect(sniffId('{"result":{"content":[', '"}]},"jsonrpc":"2.0","id":44}')).toBe(44);
    expect(sniffId('{"jsonrpc":"2.0","result":{"content":[', '"}]},"id":45}')).toBe(45);
  });

  it("takes no id from inside a result, and none from a request", () => {
    expect(sniffId('{"result":{"content":[', '"x":{},"id":9}}')).toBeNull();
    expect(sniffId('{"result":{"id":9,"content":[', '"]}}')).toBeNull();
    expect(sniffId('{"method":"x","params":{', '},"id":9}')).toBeNull();
  });
});
