import { afterEach, describe, expect, it } from "vitest";
import { NO_PORT } from "../../kernel/host-extension.ts";
import type { ProviderAnswer } from "../../kernel/provider.ts";
import type { Connection } from "../connection.ts";
import { ADVERTISED, connectTo, createPort, LIST, read } from "./port-for-tests.ts";
import { call } from "./process-for-tests.ts";

const ending: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ending.splice(0).toReversed()) await end();
});

const said = (answer: ProviderAnswer): Record<string, unknown> => JSON.parse(answer.json) as Record<string, unknown>;
const use = async (server: Connection, requests: readonly object[], more: object = {}): Promise<unknown> =>
  said(await call(server, "use", JSON.stringify({ requests, ...more })))["replies"];

describe.each(["stdio", "http", "sse"])("a legacy server over %s", (mode) => {
  it("is told of the extension in the handshake, in that place only", async () => {
    const server = await connectTo(mode, createPort(), ending);
    const told = said(await call(server, "told"))["told"] as string;
    expect(told).toContain(
      `"extensions":{"io.modelcontextprotocol/ui":{"mimeTypes":["text/html;profile=mcp-app"]},${ADVERTISED}}}`,
    );
    expect(told.split("ai.nimblebrain")).toHaveLength(2);
    expect(told).not.toContain("experimental");
  });

  it("is told nothing of it when it is not offered, and what it asks all the same is unknown", async () => {
    const server = await connectTo(mode, undefined, ending);
    expect(said(await call(server, "told"))["told"]).not.toContain("ai.nimblebrain");
    expect(await use(server, [{ method: LIST, params: {} }])).toMatchObject([
      { error: { code: -32601, data: { method: LIST } } },
    ]);
  });

  it("is answered within a call: results as they are, errors with their data, unknown methods too", async () => {
    const port = createPort();
    const server = await connectTo(mode, port, ending);
    const requests = [
      read(3),
      read("none"),
      { method: LIST },
      { method: "ai.nimblebrain/resources/write", params: {} },
    ];
    expect(await use(server, requests)).toMatchObject([
      { result: { contents: [{ uri: "files://3", text: "xxx" }] } },
      { error: { code: -32002, message: "none", data: { uri: "files://none" } } },
      { result: { resources: [] } },
      { error: { code: -32601 } },
    ]);
    expect(port.served.map(({ params }) => params)).toEqual([{ uri: "files://3" }, { uri: "files://none" }, null, {}]);
  });

  it("is answered outside a call", async () => {
    const server = await connectTo(mode, createPort(), ending);
    await call(server, "later", JSON.stringify({ requests: [read(2)] }));
    await expect
      .poll(async () => said(await call(server, "outside"))["outside"], { timeout: 10_000 })
      .toMatchObject([{ result: { contents: [{ text: "xx" }] } }]);
  });

  it("is answered every one of 1,500 reads at once, a few at a time", async () => {
    const port = createPort();
    const server = await connectTo(mode, port, ending);
    const { tally } = said(await call(server, "flood", JSON.stringify({ times: 1_500, each: read(10) })));
    expect(tally).toEqual({ "read 10": 1_500 });
    expect(port.most()).toBeLessThanOrEqual(4);
  });

  it("is answered whole and in full when each answer is large, and is still called meanwhile", async () => {
    const server = await connectTo(mode, createPort(), ending);
    const size = 2_000_000;
    const flood = call(server, "flood", JSON.stringify({ times: 40, each: read(size) }));
    let echoes = 0;
    const done = flood.then(() => true);
    while (!(await Promise.race([done, call(server, "echo", '{"text":"here"}').then(() => false)]))) echoes++;
    expect(said(await flood)["tally"]).toEqual({ [`read ${size}`]: 40 });
    expect(echoes).toBeGreaterThan(0);
  });
});

it("a server that asks over the standing stream of HTTP is answered", async () => {
  const server = await connectTo("http", createPort(), ending);
  await expect
    .poll(() => use(server, [read(1)], { on: "get" }), { timeout: 10_000 })
    .toMatchObject([{ result: { contents: [{ text: "x" }] } }]);
});

it("a server that asks faster than it is answered is read no further, and nothing of it is lost", async () => {
  const gate = Promise.withResolvers<void>();
  const slow = createPort();
  const serve = async (method: string, params: unknown): ReturnType<typeof slow.serve> => {
    await gate.promise;
    return slow.serve(method, params);
  };
  const server = await connectTo("stdio", { ...NO_PORT, serve }, ending);
  const flood = call(server, "flood", JSON.stringify({ times: 20_000, each: read(1) }));
  const behind = call(server, "echo", '{"text":"behind"}');
  await new Promise((resolve) => setTimeout(resolve, 300));
  gate.resolve();
  expect(said(await flood)["tally"]).toEqual({ "read 1": 20_000 });
  expect(said(await behind)["text"]).toBe("behind");
});
