import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { connectHttp } from "./connect-http.ts";
import type { Connection } from "../connection.ts";
import { call, LIMITS, NO_EVENTS } from "./process-for-tests.ts";

const RESULTS: Record<string, unknown> = {
  initialize: { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: { name: "u", version: "1" } },
  "tools/list": { tools: [] },
  "tools/call": { content: [] },
};

/** A legacy server that resets the sockets of the next requests instead of answering them. */
const start = async (): Promise<{ server: Connection; seen: string[]; reset: (times: number) => void }> => {
  const seen: string[] = [];
  let resets = 0;
  const upstream = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => {
      if (request.method !== "POST") return response.writeHead(405).end();
      const { id, method } = JSON.parse(body) as { id?: number; method: string };
      seen.push(method);
      if (resets > 0) {
        resets--;
        return request.socket.resetAndDestroy();
      }
      if (id === undefined) return response.writeHead(202).end();
      const result = RESULTS[method];
      const answer = result === undefined ? { error: { code: -32601, message: "no such method" } } : { result };
      response.writeHead(200, { "content-type": "application/json" });
      return response.end(JSON.stringify({ jsonrpc: "2.0", id, ...answer }));
    });
  });
  await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
  const server = await connectHttp({
    url: `http://127.0.0.1:${(upstream.address() as AddressInfo).port}/mcp`,
    headers: {},
    rules: { allowInsecureRemotes: true, allowPrivateRemotes: [] },
    limits: LIMITS,
    events: NO_EVENTS,
    signal: new AbortController().signal,
    hostVersion: "0.0.0",
  });
  onTestFinished(async () => {
    await server.close("the test is over");
    upstream.closeAllConnections();
    upstream.close();
  });
  seen.length = 0;
  return { server, seen, reset: (times) => (resets = times) };
};

test("a list that a reset of its socket kept from being answered is asked for once more", async () => {
  const { server, seen, reset } = await start();
  const never = new AbortController().signal;
  reset(1);
  expect((await server.list(never)).tools).toEqual([]);
  expect(seen).toEqual(["tools/list", "tools/list"]);
  reset(2);
  await expect(server.list(never)).rejects.toThrow();
});

test("a call is never sent twice because its socket was reset", async () => {
  const { server, seen, reset } = await start();
  reset(1);
  await expect(call(server, "echo")).rejects.toMatchObject({ kind: "indeterminate" });
  expect(seen).toEqual(["tools/call"]);
});
