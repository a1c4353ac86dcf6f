import { describe, expect, it } from "vitest";
import { NO_PORT } from "../../kernel/host-extension.ts";
import { frameRequest, legacyDialect, modernDialect } from "./frame.ts";

describe("frameRequest", () => {
  it("splices params and meta as they came, with our own progress token", () => {
    const request = { method: "tools/call", params: '"name":"x","arguments":{"n":1.0}', meta: '"traceparent":"00-1"' };
    expect(frameRequest(5, request, legacyDialect("2025-11-25"))).toBe(
      '{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"x","arguments":{"n":1.0},' +
        '"_meta":{"traceparent":"00-1","progressToken":5}}}',
    );
  });

  it("carries the envelope to a modern server in every request", () => {
    const text = frameRequest(1, { method: "tools/list", params: "", meta: "" }, modernDialect("1.2.3", NO_PORT));
    expect(JSON.parse(text)).toMatchObject({
      params: {
        _meta: {
          "io.modelcontextprotocol/protocolVersion": "2026-07-28",
          "io.modelcontextprotocol/clientCapabilities": { extensions: { "io.modelcontextprotocol/ui": {} } },
          "io.modelcontextprotocol/clientInfo": { name: "bailiwick", version: "1.2.3" },
          progressToken: 1,
        },
      },
    });
  });

  it("writes params that were sent on several lines on one", () => {
    const params = '"name":"x",\r\n"arguments":{\n"t":"a\\nb"}';
    const text = frameRequest(1, { method: "tools/call", params, meta: '"k":\n1' }, legacyDialect("2025-11-25"));
    expect(text).not.toMatch(/[\r\n]/);
    expect(JSON.parse(text)).toMatchObject({ params: { arguments: { t: "a\nb" }, _meta: { k: 1 } } });
  });
});
