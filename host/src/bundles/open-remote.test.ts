import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished, describe, expect, test } from "vitest";
import { makeWorkDir, runBundles, textOf, toolCall, until, untilRunning } from "./bundles-for-tests.ts";

interface Remote {
  readonly url: string;
  readonly port: number;
  readonly seen: IncomingMessage["headers"][];
  close(): Promise<void>;
}

const RESULTS: Record<string, unknown> = {
  initialize: {
    protocolVersion: "2025-11-25",
    capabilities: { tools: {} },
    serverInfo: { name: "remote", version: "3.2.1" },
  },
  "tools/list": { tools: [{ name: "hello", inputSchema: { type: "object" } }] },
  "tools/call": { content: [{ type: "text", text: "from afar" }] },
  ping: {},
};

/** A plain Streamable HTTP server that answers every request with JSON, or everything with one status. */
const startRemote = async (options: { readonly port?: number; readonly status?: number } = {}): Promise<Remote> => {
  const seen: IncomingMessage["headers"][] = [];
  const server: Server = createServer((request, response) => {
    seen.push(request.headers);
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => {
      if (options.status !== undefined) return response.writeHead(options.status).end();
      if (request.method !== "POST") return response.writeHead(405).end();
      const { id, method } = JSON.parse(body) as { id?: number; method: string };
      if (id === undefined) return response.writeHead(202).end();
      const result = RESULTS[method];
      const answer = result === undefined ? { error: { code: -32601, message: "method not found" } } : { result };
      return response
        .writeHead(200, { "content-type": "application/json" })
        .end(JSON.stringify({ jsonrpc: "2.0", id, ...answer }));
    });
  });
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  onTestFinished(close);
  return { url: `http://127.0.0.1:${port}/mcp`, port, seen, close };
};

const entryOf = (url: string, transport: Record<string, unknown> = {}): Record<string, unknown> => ({
  allowInsecureRemotes: true,
  bundles: [{ url, serverName: "afar", transport }],
});
const FAST = { initialReconnectionDelay: 10, maxReconnectionDelay: 50 };

describe("a server at a URL", () => {
  test("is connected to with its credential, listed and called", async () => {
    const remote = await startRemote();
    const auth = { type: "bearer", token: "t0ken" };
    const { provider } = await runBundles(makeWorkDir(), entryOf(remote.url, { auth, headers: { "X-Team": "a" } }));
    await untilRunning(provider("afar"));
    expect(provider("afar").status().version).toBe("3.2.1");
    expect(
      provider("afar")
        .catalogue()
        .tools.map((tool) => tool.name),
    ).toEqual(["hello"]);
    expect(textOf(await provider("afar").send(toolCall("hello")))).toBe("from afar");
    expect(
      remote.seen.every((headers) => headers["authorization"] === "Bearer t0ken" && headers["x-team"] === "a"),
    ).toBe(true);
  });

  test("that is not there stays crashed as unreachable however often it is tried, and joins when it comes", async () => {
    const probe = await startRemote();
    await probe.close();
    const { provider, bundles } = await runBundles(makeWorkDir(), entryOf(probe.url, { reconnection: FAST }));
    await until(() => provider("afar").status().restartsInWindow >= 7);
    const { state, lastError } = provider("afar").status();
    expect(["crashed", "starting"]).toContain(state);
    expect(lastError).toMatch(/^unreachable: .*ECONNREFUSED/);
    await startRemote({ port: probe.port });
    await untilRunning(provider("afar"));
    expect(bundles.status()).toMatchObject([{ name: "afar", health: "ok", toolCount: 1 }]);
  });

  test("that is not there is given up after maxRetries", async () => {
    const probe = await startRemote();
    await probe.close();
    const reconnection = { ...FAST, maxRetries: 2 };
    const { provider } = await runBundles(makeWorkDir(), entryOf(probe.url, { reconnection }));
    await until(() => provider("afar").status().state === "dead");
    expect(provider("afar").status().restartsInWindow).toBe(3);
  });

  test("that rejects the credential is dead at once and says so", async () => {
    const remote = await startRemote({ status: 401 });
    const { provider } = await runBundles(makeWorkDir(), entryOf(remote.url));
    await until(() => provider("afar").status().state === "dead");
    expect(provider("afar").status()).toMatchObject({
      restartsInWindow: 1,
      reason: expect.stringContaining("auth_rejected") as string,
    });
  });

  test("that never answers is left when its time is over, and a stop does not wait for it", async () => {
    const silent = createServer(() => {});
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => {
      silent.closeAllConnections();
      silent.close();
    });
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/mcp`;
    const { provider, bundles } = await runBundles(makeWorkDir(), entryOf(url), { timing: { startTimeoutMs: 300 } });
    await until(() => provider("afar").status().lastError !== null);
    expect(provider("afar").status().lastError).toBe("unreachable: it was not ready 0.3 s after its start");
    await bundles.stopOne("afar");
    expect(provider("afar").status().state).toBe("stopped");
  });
});
