import { afterEach, describe, expect, it } from "vitest";
import type { ProviderAnswer } from "../../kernel/provider.ts";
import { rawJson } from "../../kernel/raw-json.ts";
import type { Connection } from "../connection.ts";
import { createAsker } from "./asker-for-tests.ts";
import { connectHttp } from "./connect-http.ts";
import { connectStdio } from "./connect-stdio.ts";
import { call, fixture, LIMITS, NO_EVENTS, startHttp, startProcess } from "./process-for-tests.ts";

const ending: (() => unknown)[] = [];
let changes = 0;
const never = new AbortController().signal;
const events = { ...NO_EVENTS, listChanged: () => changes++ };
const common = { limits: LIMITS, events, signal: never, hostVersion: "0.0.0" };
const SERVER = fixture("modern-asking-server.mjs");

const connect = async (wire: string): Promise<Connection> => {
  if (wire === "stdio") {
    const child = startProcess([SERVER, "stdio"]);
    ending.push(() => child.stop());
    return connectStdio(child, common);
  }
  const { port, stop } = await startHttp([SERVER, "http"]);
  ending.push(stop);
  const rules = { allowInsecureRemotes: true, allowPrivateRemotes: [] };
  const connection = await connectHttp({ ...common, url: `http://127.0.0.1:${port}/mcp`, headers: {}, rules });
  ending.push(() => connection.close("the test is over"));
  return connection;
};

/** The request that the server received. */
const requestIn = (answer: ProviderAnswer): string => (JSON.parse(answer.json) as { text: string }).text;
const metaOf = (request: string): Record<string, unknown> =>
  (JSON.parse(request) as { params: { _meta: Record<string, unknown> } }).params._meta;

afterEach(async () => {
  changes = 0;
  for (const end of ending.splice(0).toReversed()) await end();
});

describe.each(["stdio", "http"])("a modern server over %s", (wire) => {
  it("is told of each caller what that one declared, and no more", async () => {
    const server = await connect(wire);
    const declared = '{"elicitation":{"form":{}}, "x":1.0,"extensions":{"com.example/y":{"z":1.0}}}';
    const told = requestIn(await call(server, "raw", "{}", { asker: createAsker(declared) }));
    expect(told).toContain(`"io.modelcontextprotocol/clientCapabilities":${declared},`);
    const silent = metaOf(requestIn(await call(server, "raw")));
    expect(silent).toMatchObject({ "io.modelcontextprotocol/clientCapabilities": {} });
    expect(Object.keys(silent["io.modelcontextprotocol/clientCapabilities"] as object)).toEqual([]);
  });

  it("is told that apps are shown when the host lists, which is no caller's claim", async () => {
    const server = await connect(wire);
    const { tools } = await server.list(never);
    expect(metaOf(tools[0]?.value["request"] as string)["io.modelcontextprotocol/clientCapabilities"]).toEqual({
      extensions: { "io.modelcontextprotocol/ui": { mimeTypes: ["text/html;profile=mcp-app"] } },
    });
  });

  it("is told the level of logs that the caller hears, and nothing when it hears none", async () => {
    const server = await connect(wire);
    const LEVEL = "io.modelcontextprotocol/logLevel";
    const listener = { level: () => "warning" };
    expect(metaOf(requestIn(await call(server, "raw", "{}", { listener })))[LEVEL]).toBe("warning");
    expect(metaOf(requestIn(await call(server, "raw")))).not.toHaveProperty(LEVEL);
  });

  it("asks by its result, and gets answers and its own state back as they were", async () => {
    const server = await connect(wire);
    const first = await call(server, "input");
    expect(first).toMatchObject({
      kind: "partial",
      resultType: "input_required",
      json: '{"resultType":"input_required","inputRequests":{"a":{"method":"elicitation/create","n":1.0}}, "requestState":"s\\u0031"}',
    });
    const input = { responses: rawJson('{"a":{"action":"accept","n":1.0}}'), state: rawJson('"s\\u0031"') };
    const second = requestIn(await call(server, "input", '{"n":2.0}', { input }));
    expect(second).toContain(
      '"name":"input","arguments":{"n":2.0},"inputResponses":{"a":{"action":"accept","n":1.0}},"requestState":"s\\u0031","_meta"',
    );
    const partly = requestIn(await call(server, "raw", "{}", { input: { ...input, state: null } }));
    expect(partly).toContain('"arguments":{},"inputResponses":{"a":{"action":"accept","n":1.0}},"_meta"');
  });

  it("may answer with what is not the last word, whatever it is called", async () => {
    const server = await connect(wire);
    expect(await call(server, "task")).toMatchObject({ kind: "partial", resultType: "task" });
    expect(await call(server, "strange")).toMatchObject({ kind: "partial", resultType: '["complete"]' });
  });

  it("is listed anew and called once more when it finds the headers wrong", async () => {
    const server = await connect(wire);
    await server.list(never);
    expect((await call(server, "mismatch")).kind).toBe("result");
    await expect(call(server, "always-mismatch")).rejects.toMatchObject({
      kind: "upstream_failed",
      details: { reason: "protocol_mismatch", code: -32020 },
    });
    const { received } = JSON.parse((await call(server, "count")).json) as { received: Record<string, number> };
    expect(received).toMatchObject({ mismatch: 2, "always-mismatch": 2 });
    expect(changes).toBeGreaterThan(0);
  });

  it("is called once more when it refuses a revision that it speaks, and not when it speaks another", async () => {
    const server = await connect(wire);
    expect((await call(server, "version")).kind).toBe("result");
    await expect(call(server, "no-version")).rejects.toMatchObject({ details: { code: -32022 } });
    const { received } = JSON.parse((await call(server, "count")).json) as { received: Record<string, number> };
    expect(received).toMatchObject({ version: 2, "no-version": 1 });
  });
});
