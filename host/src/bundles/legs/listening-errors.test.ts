import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { connectHttp } from "./connect-http.ts";
import { LIMITS, NO_EVENTS } from "./process-for-tests.ts";

const DISCOVERED = {
  resultType: "complete",
  supportedVersions: ["2026-07-28"],
  capabilities: { tools: { listChanged: true } },
  serverInfo: { name: "breaks", version: "1" },
};

/** A modern server that ends each stream with this error; returns how many it was asked for. */
const listenAt = async (code: number, acknowledges: boolean): Promise<() => number> => {
  let streams = 0;
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => {
      const { id, method } = JSON.parse(body) as { id: number; method: string };
      if (method !== "subscriptions/listen") {
        response.writeHead(200, { "content-type": "application/json" });
        return response.end(JSON.stringify({ jsonrpc: "2.0", id, result: DISCOVERED }));
      }
      streams++;
      response.writeHead(200, { "content-type": "text/event-stream" });
      const say = (message: object): unknown =>
        response.write(`data: ${JSON.stringify({ jsonrpc: "2.0", ...message })}\n\n`);
      const _meta = { "io.modelcontextprotocol/subscriptionId": id };
      const params = { _meta, notifications: { toolsListChanged: true } };
      if (acknowledges) say({ method: "notifications/subscriptions/acknowledged", params });
      say({ id, error: { code, message: "not now" } });
      return response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const connection = await connectHttp({
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    headers: {},
    rules: { allowInsecureRemotes: true, allowPrivateRemotes: [] },
    limits: LIMITS,
    events: NO_EVENTS,
    signal: new AbortController().signal,
    hostVersion: "0.0.0",
  });
  onTestFinished(async () => {
    await connection.close("the test is over");
    server.closeAllConnections();
    server.close();
  });
  expect(connection.era).toBe("modern");
  return () => streams;
};

test.each([
  [-32603, false],
  [-32000, true],
  [-32601, true],
])("a stream that ends with error %d is opened again (acknowledged before: %s)", async (code, acknowledges) => {
  const streams = await listenAt(code, acknowledges);
  await expect.poll(streams, { timeout: 15_000 }).toBeGreaterThan(1);
});

test.each([-32601, -32602])("a server that does not know how to listen (%d) is not asked again", async (code) => {
  const streams = await listenAt(code, false);
  await expect.poll(streams).toBe(1);
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  expect(streams()).toBe(1);
});
