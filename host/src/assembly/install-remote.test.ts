/** A server that a registry knows by its address alone: all that was asked for stands in its entry, and the gate stays. */
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { describe, expect, it, onTestFinished } from "vitest";
import { makePlace, requires, type Place, type WholeHost } from "./whole-host-for-tests.ts";

const RESOURCES = "ai.nimblebrain/host-resources";

const listen = async (listener: RequestListener): Promise<string> => {
  const server = createServer(listener);
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

const RESULTS: Readonly<Record<string, object>> = {
  initialize: {
    protocolVersion: "2025-11-25",
    capabilities: { tools: {} },
    serverInfo: { name: "there", version: "1.0.0" },
  },
  "tools/list": { tools: [{ name: "read", inputSchema: { type: "object" } }] },
  ping: {},
};

const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const { id, method } = JSON.parse((await text(request)) || "{}") as { id?: number; method?: string };
  const result = RESULTS[method ?? ""];
  const said = result === undefined ? { error: { code: -32601, message: "no" } } : { result };
  response.setHeader("content-type", "application/json");
  if (request.method !== "POST") response.writeHead(405).end();
  else if (id === undefined) response.writeHead(202).end();
  else response.end(JSON.stringify({ jsonrpc: "2.0", id, ...said }));
};

/** A server of MCP, and a registry that knows it, with what its descriptor says. */
const begin = async (more: object = {}): Promise<{ place: Place; host: WholeHost; url: string; config: object }> => {
  const there = await listen((request, response) => void answer(request, response));
  const url = `${there}/mcp`;
  const server = {
    name: "com.example/reader",
    description: "reads",
    version: "1.0.0",
    remotes: [{ type: "streamable-http", url }],
    ...more,
  };
  const registry = await listen((_, response) => {
    response.setHeader("content-type", "application/json").end(JSON.stringify({ server }));
  });
  const place = makePlace();
  const config = { allowInsecureRemotes: true, registries: [{ type: "mcp", url: registry }] };
  place.configure({ ...config, bundles: [] });
  return { place, host: await place.start(), url, config };
};

describe("a server that a registry knows by its address alone", () => {
  it("keeps every field of the order that such an entry has, and is not installed with one that it has not", async () => {
    const { place, host, url } = await begin();
    const order = { name: "com.example/reader", version: "1.0.0", timeoutMs: 5_000, concurrency: 2, pinning: "warn" };
    const refused = await host.rest("POST", "/v1/apps/install", { ...order, env: { A: "1" }, sandbox: "bwrap" });
    expect(refused).toMatchObject({ status: 400, json: { error: "bad_request" } });
    expect(refused.json.message).toMatch(/\/env: .*\/sandbox: /);
    expect(place.configured().bundles).toEqual([]);
    expect(await host.rest("POST", "/v1/apps/install", { ...order, isolation: "principal" })).toMatchObject({
      status: 201,
    });
    expect(place.configured().bundles).toEqual([
      {
        url,
        serverName: "reader",
        transport: { type: "streamable-http" },
        timeoutMs: 5_000,
        concurrency: 2,
        pinning: "warn",
        isolation: "principal",
      },
    ]);
  });

  it.each(["shared", "principal"])(
    "%s: is refused at each start without what its descriptor requires",
    async (isolation) => {
      const { _meta } = requires(RESOURCES) as { _meta: object };
      const { place, host, config } = await begin({
        _meta: { "io.modelcontextprotocol.registry/publisher-provided": _meta },
      });
      const order = { name: "com.example/reader", isolation };
      expect((await host.rest("POST", "/v1/apps/install", order)).status).toBe(201);
      const { bundles } = place.configured();
      place.configure({ ...config, bundles, hostResources: { enabled: false } });
      await host.bundles.reload();
      await host.until("reader", "refused");
      expect((await host.rest("GET", "/v1/apps/reader")).json.refusal).toMatchObject({
        code: "install_refused",
        data: { reason: "capability-unavailable", missing: [RESOURCES], provided: [] },
      });
      place.configure({ ...config, bundles });
      await host.bundles.reload();
      await host.until("reader", "running");
    },
  );
});
