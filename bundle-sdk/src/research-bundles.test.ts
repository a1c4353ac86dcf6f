/** The example bundle and the Python one behind a played host: the same calls, whatever the host advertises. */
import { fileURLToPath } from "node:url";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { ADVERTISED, playHost, type Answering, type PlayedHost } from "./played-host-for-tests.ts";
import { spawnWire, type SpawnedWire, type SpawnOrder } from "./spawned-wire-for-tests.ts";

const at = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const PYTHON = at("host/test/fixtures/python");
const BUNDLES: Readonly<Record<string, SpawnOrder>> = {
  "the example": { command: process.execPath, args: [at("examples/research/server.mjs")] },
  "the Python bundle": {
    command: "python3",
    args: [`${PYTHON}/server.py`],
    env: { PYTHONPATH: `${PYTHON}/deps`, PYTHONDONTWRITEBYTECODE: "1" },
  },
};
const KEY = "ai.nimblebrain/host-resources";
const URI = "files://fl_0123456789abcdef01234567";
const NEITHER = "Provide `seed_data` or `seed_uri`.";
const NOT_HERE = `This host doesn't support ${KEY}. Pass file contents inline via \`seed_data\` instead.`;
const SEED = "Tides of the North Sea";

const answer: Answering = ({ params }) =>
  params?.["uri"] === URI
    ? { result: { contents: [{ uri: URI, mimeType: "text/markdown", text: SEED }] } }
    : { error: { code: -32002, message: "Resource not found", data: { uri: params?.["uri"] } } };

const wires: SpawnedWire[] = [];
afterEach(async () => {
  await Promise.all(wires.splice(0).map((wire) => wire.close()));
});

const start = (order: SpawnOrder): PlayedHost => {
  const wire = spawnWire(order);
  wires.push(wire);
  return playHost(wire, answer);
};

describe.each(Object.entries(BUNDLES))("%s", (_name, order) => {
  const begin = async (capabilities: object): Promise<PlayedHost> => {
    const played = start(order);
    await played.initialize(capabilities);
    return played;
  };

  it.each([
    ["extensions", { extensions: ADVERTISED }],
    ["experimental", { experimental: ADVERTISED }],
  ])("reads the file itself where the host advertises under %s", async (_place, capabilities) => {
    const played = await begin(capabilities);
    const both = await played.call("start_research", { seed_uri: URI, seed_data: "not this" });
    expect(both.isError).toBe(false);
    expect(both.text).toContain(SEED);
    expect(played.asked.map(({ method, params }) => [method, params])).toEqual([
      ["ai.nimblebrain/resources/read", { uri: URI }],
    ]);
    expect((await played.call("start_research", { seed_uri: "files://fl_none" })).isError).toBe(true);
    expect((await played.call("start_research", { seed_data: "inline" })).text).toContain("inline");
    expect((await played.call("start_research")).text).toContain(NEITHER);
    expect(played.asked).toHaveLength(2);
  });

  it.each([
    ["nothing", {}],
    ["something malformed", { extensions: { [KEY]: { read: true } } }],
    ["no reading", { extensions: { [KEY]: { read: { enabled: false }, list: { enabled: true } } } }],
  ])("asks for the content where the host advertises %s", async (_what, capabilities) => {
    const played = await begin(capabilities);
    const refused = await played.call("start_research", { seed_uri: URI });
    expect(refused.isError).toBe(true);
    expect(refused.text).toContain(NOT_HERE);
    const inline = await played.call("start_research", { seed_uri: URI, seed_data: "inline" });
    expect(inline).toMatchObject({ isError: false, text: expect.stringContaining("inline") });
    expect(await played.call("start_research")).toMatchObject({
      isError: true,
      text: expect.stringContaining(NEITHER),
    });
    expect(played.asked).toEqual([]);
  });
});

describe("the example in the modern era", () => {
  it("reads over HTTP, and does without where it cannot", async () => {
    const door = createServer((request, response) => {
      let body = "";
      request.setEncoding("utf8").on("data", (text: string) => (body += text));
      request.on("end", () => response.end(JSON.stringify({ jsonrpc: "2.0", id: 1, ...answer(JSON.parse(body)) })));
    });
    await new Promise<void>((resolve) => {
      door.listen(0, "127.0.0.1", resolve);
    });
    try {
      const endpoint = `http://127.0.0.1:${(door.address() as AddressInfo).port}/ext/host-resources`;
      const played = start(BUNDLES["the example"] as SpawnOrder);
      const envelope = (extensions: object): object => ({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { name: "played", version: "1.0.0" },
        "io.modelcontextprotocol/clientCapabilities": { extensions },
      });
      const meta = { ...envelope(ADVERTISED), [KEY]: { endpoint, token: "t1", expiresAt: "2030-01-01T00:00:00Z" } };
      await played.request("server/discover", { _meta: envelope({}) });
      expect((await played.call("start_research", { seed_uri: URI }, meta)).text).toContain(SEED);
      expect((await played.call("start_research", { seed_uri: `${URI}0` }, meta)).text).toContain("There is no file");
      expect((await played.call("start_research", { seed_uri: URI }, envelope({}))).text).toContain(NOT_HERE);
      expect(played.asked).toEqual([]);
    } finally {
      await new Promise((resolve) => {
        door.close(resolve);
        door.closeAllConnections();
      });
    }
  });
});
