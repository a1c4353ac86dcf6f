import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import type { CallInput, ProviderAnswer } from "../../kernel/provider.ts";
import { rawJson, type RawJson } from "../../kernel/raw-json.ts";
import { createAsker } from "./asker-for-tests.ts";
import { connectHttp } from "./connect-http.ts";
import { ADVERTISED, connectTo, createPort, LIST, read, TOLD } from "./port-for-tests.ts";
import { call, LIMITS, NO_EVENTS } from "./process-for-tests.ts";

const ending: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ending.splice(0).toReversed()) await end();
});

const CAPABILITIES = '"io.modelcontextprotocol/clientCapabilities":';
const UI = '"io.modelcontextprotocol/ui":{"mimeTypes":["text/html;profile=mcp-app"]}';
const said = (answer: ProviderAnswer): Record<string, unknown> => JSON.parse(answer.json) as Record<string, unknown>;
const textOf = (answer: ProviderAnswer): string => said(answer)["text"] as string;
const never = new AbortController().signal;

describe.each(["modern-stdio", "modern-http"])("a %s server", (mode) => {
  it("is told of the extension with each request, beside what the caller declared and instead of what it claims", async () => {
    const server = await connectTo(mode, createPort(), ending);
    const cases: [string, string][] = [
      ["{}", `{"extensions":{${ADVERTISED}}}`],
      ['{"roots":{},"x":1.0}', `{"roots":{},"x":1.0,"extensions":{${ADVERTISED}}}`],
      ['{"extensions":{"a/b":{"n":1.0}}, "roots":{}}', `{"roots":{},"extensions":{"a/b":{"n":1.0},${ADVERTISED}}}`],
      [
        '{"extensions":{"ai.nimblebrain\\/host-resources":{"read":{}},"a/b":1}}',
        `{"extensions":{"a/b":1,${ADVERTISED}}}`,
      ],
      ['{"extensions":[]}', `{"extensions":{${ADVERTISED}}}`],
      [
        '{"experimental":{"ai.nimblebrain/host-resources":{},"c":2}}',
        `{"extensions":{${ADVERTISED}},"experimental":{"c":2}}`,
      ],
    ];
    for (const [declared, told] of [...cases, ...cases]) {
      const text = textOf(await call(server, "raw", "{}", { asker: createAsker(declared) }));
      expect(text).toContain(`${CAPABILITIES}${told},${TOLD},`);
    }
    const { tools } = await server.list(never);
    expect(tools[0]?.value["request"]).toContain(`${CAPABILITIES}{"extensions":{${UI},${ADVERTISED}}},${TOLD},`);
  });

  it("is not told where the extension is to be had by a caller, nor that it is when it is not", async () => {
    const claimed = '{"extensions":{"ai.nimblebrain/host-resources":{"read":{"enabled":true}},"a/b":{}}}';
    const meta = '"a":1,"ai.nimblebrain/host-resources":{"endpoint":"http://evil","token":"t"},"b":"\\u0061"';
    const extras = { asker: createAsker(claimed), meta };
    const offered = textOf(await call(await connectTo(mode, createPort(), ending), "raw", "{}", extras));
    expect(offered).toContain(`${TOLD},"a":1,"b":"\\u0061","progressToken"`);
    expect(offered).not.toContain("evil");
    const text = textOf(await call(await connectTo(mode, undefined, ending), "raw", "{}", extras));
    expect(text).toContain(`${CAPABILITIES}{"extensions":{"a/b":{}}},"a":1,"b":"\\u0061","progressToken"`);
    const escaped = { meta: '"ai.nimblebrain\\u002fhost-resources":{"endpoint":"http://evil"}' };
    expect(textOf(await call(await connectTo(mode, undefined, ending), "raw", "{}", escaped))).not.toContain("evil");
  });

  it("asks by its result, and the same call goes on with an answer or an error under each key", async () => {
    const port = createPort();
    const server = await connectTo(mode, port, ending);
    const requests = { a: read(2), "b ☃": read("none"), c: { method: LIST }, d: { method: "ai.nimblebrain/x" } };
    const answer = await call(server, "use", JSON.stringify({ requests, state: "s☃", n: 1 }));
    expect(answer.kind).toBe("result");
    expect(said(answer)).toMatchObject({
      requestState: "s☃",
      inputResponses: {
        a: { contents: [{ uri: "files://2", text: "xx" }] },
        "b ☃": { error: { code: -32002, message: "none", data: { uri: "files://none" } } },
        c: { resources: [] },
        d: { error: { code: -32601, data: { method: "ai.nimblebrain/x" } } },
      },
    });
    expect(textOf(answer)).toContain('"c":{"resources":[], "n":1.0}');
    expect(textOf(answer)).toContain('"state":"s☃","n":1}');
    expect(port.served).toHaveLength(4);
  });

  it("may ask 32 times in one call, and not once more", async () => {
    const port = createPort();
    const server = await connectTo(mode, port, ending);
    const rounds = (times: number): Promise<ProviderAnswer> =>
      call(server, "rounds", JSON.stringify({ rounds: times, request: read(1) }));
    expect(said(await rounds(32))["rounds"]).toBe(32);
    expect(port.served).toHaveLength(32);
    await expect(rounds(33)).rejects.toMatchObject({
      kind: "upstream_failed",
      details: { reason: "too_many_rounds" },
    });
  });

  it("may ask the caller in the same breath: the caller sees its own questions, and both answers come together", async () => {
    const port = createPort();
    const server = await connectTo(mode, port, ending);
    const elicitation = { method: "elicitation/create", params: { message: "who?" } };
    const requests = { ours: read(3), theirs: elicitation };
    const first = await call(server, "use", JSON.stringify({ requests, state: "s1" }));
    expect(first).toMatchObject({ kind: "partial", resultType: "input_required" });
    expect(said(first)["inputRequests"]).toEqual({ theirs: elicitation });
    expect(first.kind === "partial" && first.value).toEqual(said(first));
    expect(port.served).toEqual([]);
    const state = rawJson(JSON.stringify(said(first)["requestState"]));
    const responses = rawJson('{"theirs":{"action":"accept","n":1.0}, "ours":{"contents":"forged"}}');
    const again = await call(server, "use", JSON.stringify({ requests, state: "s1" }), { input: { responses, state } });
    expect(said(again)).toMatchObject({
      requestState: "s1",
      inputResponses: { ours: { contents: [{ text: "xxx" }] }, theirs: { action: "accept" } },
    });
    expect(textOf(again)).toContain('"theirs":{"action":"accept","n":1.0}');
    expect(textOf(again)).not.toContain("forged");
  });

  it("is given no answers that nobody asked the caller for: not with a new call, not beside those that were asked", async () => {
    const port = createPort();
    const server = await connectTo(mode, port, ending);
    const forged = '"ours":{"contents":"forged"}, "\\u006furs":{"contents":"forged"}';
    const args = JSON.stringify({ requests: { ours: read(3) } });
    const unasked = { responses: rawJson(`{${forged}}`), state: null };
    const fresh = said(await call(server, "use", args, { input: unasked }));
    expect(fresh).toMatchObject({ inputResponses: { ours: { contents: [{ text: "xxx" }] } } });
    const foreign = { responses: rawJson(`{${forged}}`), state: rawJson('"s0"') };
    expect(textOf(await call(server, "use", args, { input: foreign }))).not.toContain("forged");
    expect(port.served).toHaveLength(2);

    const requests = { theirs: { method: "roots/list" } };
    const first = await call(server, "use", JSON.stringify({ requests, state: "s1" }));
    expect(said(first)["inputRequests"]).toEqual(requests);
    const state = rawJson(JSON.stringify(said(first)["requestState"]));
    const responses = rawJson(`{${forged}, "theirs":{"roots":[], "n":1.0},"later":{}}`);
    const again = await call(server, "use", JSON.stringify({ requests, state: "s1" }), { input: { responses, state } });
    expect(textOf(again)).toContain('"inputResponses":{"theirs":{"roots":[], "n":1.0}},"requestState":"s1"');
  });

  it("without a state of its own is given none back", async () => {
    const server = await connectTo(mode, createPort(), ending);
    const requests = { ours: read(1), theirs: { method: "roots/list" } };
    const first = said(await call(server, "use", JSON.stringify({ requests })));
    const input: CallInput = { responses: null, state: JSON.stringify(first["requestState"]) as RawJson };
    const again = said(await call(server, "use", JSON.stringify({ requests }), { input }));
    expect(again).toMatchObject({ inputResponses: { ours: { contents: [{ text: "x" }] } } });
    expect(again).not.toHaveProperty("requestState");
  });

  it("that asks for what is not offered hears that, and its other questions pass untouched", async () => {
    const server = await connectTo(mode, undefined, ending);
    const answer = said(await call(server, "use", JSON.stringify({ requests: { a: { method: LIST } } })));
    expect(answer).toMatchObject({ inputResponses: { a: { error: { code: -32601, data: { method: LIST } } } } });
    const requests = { a: { method: "roots/list" } };
    const other = await call(server, "use", JSON.stringify({ requests, state: "s" }));
    expect(said(other)).toEqual({ resultType: "input_required", inputRequests: requests, requestState: "s" });
    const input = { responses: rawJson('{"a":{"roots":[]}}'), state: rawJson('"bailiwick:extensions:{]"') };
    expect(said(await call(server, "use", "{}", { input }))).toMatchObject({ requestState: "bailiwick:extensions:{]" });
  });

  it("that asks for more than a round may hold is told to ask again for the rest", async () => {
    const port = createPort();
    const server = await connectTo(mode, port, ending);
    const requests = Object.fromEntries(Array.from({ length: 24 }, (_, i) => [`k${i}`, read(5_000_000)]));
    const answer = said(await call(server, "lengths", JSON.stringify({ requests })));
    const lengths = answer["lengths"] as string[];
    expect(lengths).toHaveLength(24);
    expect(new Set(lengths)).toEqual(new Set(["read 5000000", "-32004"]));
    expect(lengths.filter((each) => each === "-32004").length).toBeLessThan(20);
    // Those are recorded by the port as well.
    expect(port.declined).toHaveLength(lengths.filter((each) => each === "-32004").length);
  });
});

it("a token does not follow a redirect to another origin", async () => {
  const bodies: string[] = [];
  const serve = async (listener: RequestListener): Promise<string> => {
    const server = createServer(listener).listen(0, "127.0.0.1");
    await once(server, "listening");
    ending.push(() => server.close().closeAllConnections());
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  };
  const answer = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const body = Buffer.concat(await req.toArray()).toString();
    bodies.push(body);
    const { id } = JSON.parse(body) as { id: number };
    const result = { resultType: "complete", supportedVersions: ["2026-07-28"], capabilities: {}, tools: [] };
    res.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ jsonrpc: "2.0", id, result }));
  };
  const elsewhere = await serve((req, res) => void answer(req, res));
  const url = await serve((_, res) => res.writeHead(307, { location: elsewhere }).end());
  const rules = { allowInsecureRemotes: true, allowPrivateRemotes: [] };
  const common = { limits: LIMITS, events: NO_EVENTS, signal: never, hostVersion: "0.0.0", headers: {}, rules };
  const server = await connectHttp({ ...common, url, port: createPort() });
  ending.push(() => server.close("the test is over"));
  await call(server, "raw");
  expect(bodies.length).toBeGreaterThan(1);
  for (const body of bodies) {
    expect(body).not.toContain("bwx_secret");
    expect(body).toContain(ADVERTISED);
  }
});
