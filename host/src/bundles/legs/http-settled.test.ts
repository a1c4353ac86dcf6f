import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import type { Connection } from "../connection.ts";
import { connectHttp } from "./connect-http.ts";
import { NO_MEMORY } from "./era-memory.ts";
import { createHttpClient } from "./http-client.ts";
import { HttpLeg } from "./http-leg.ts";
import { openConnection } from "./open-connection.ts";
import { call, LIMITS, NO_EVENTS } from "./process-for-tests.ts";

const RESULTS: Record<string, unknown> = {
  initialize: { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: { name: "u", version: "1" } },
  "tools/call": { content: [] },
};

interface Upstream {
  readonly url: string;
  /** Calls that the server has not answered and whose sockets are still there. */
  readonly open: Set<unknown>;
  readonly sent: { readonly method: string; readonly name: string | undefined }[];
}

/** A legacy server whose tool `hang` never answers. */
const startUpstream = async (): Promise<Upstream> => {
  const open = new Set<unknown>();
  const sent: { method: string; name: string | undefined }[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => {
      if (request.method !== "POST") return response.writeHead(405).end();
      const { id, method, params } = JSON.parse(body) as { id?: number; method: string; params?: { name?: string } };
      sent.push({ method, name: params?.name });
      if (id === undefined) return response.writeHead(202).end();
      open.add(response);
      response.once("close", () => open.delete(response));
      if (params?.name === "hang") return response;
      const result = RESULTS[method];
      const answer = result === undefined ? { error: { code: -32601, message: "no such method" } } : { result };
      response.writeHead(200, { "content-type": "application/json" });
      return response.end(JSON.stringify({ jsonrpc: "2.0", id, ...answer }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, open, sent };
};

const connect = async (url: string, limits: Partial<typeof LIMITS>): Promise<Connection> => {
  const connection = await connectHttp({
    url,
    headers: {},
    rules: { allowInsecureRemotes: true, allowPrivateRemotes: [] },
    limits: { ...LIMITS, ...limits },
    events: NO_EVENTS,
    signal: new AbortController().signal,
    hostVersion: "0.0.0",
  });
  onTestFinished(() => connection.close("the test is over"));
  return connection;
};

const failureOf = (answer: Promise<unknown>): Promise<unknown> =>
  answer.then(
    () => null,
    (error: unknown) => error,
  );

test("calls that a legacy server never answers leave no request open and no socket taken", async () => {
  const { url, open, sent } = await startUpstream();
  const server = await connect(url, { concurrency: 10, timeoutMs: 300 });
  // Twice as many as run at once are as many as there are sockets.
  for (let round = 0; round < 2; round++) {
    const hung = await Promise.all(Array.from({ length: 10 }, () => failureOf(call(server, "hang"))));
    for (const failure of hung) expect(failure).toMatchObject({ kind: "indeterminate", details: { error: "timeout" } });
  }
  expect((await call(server, "echo")).kind).toBe("result");
  await expect.poll(() => open.size).toBe(0);
  expect(sent.filter(({ name }) => name === "hang")).toHaveLength(20);
  expect(sent.filter(({ method }) => method === "notifications/cancelled")).toHaveLength(20);
}, 30_000);

test("a call that no socket took yet was not sent, whether it is cancelled or its time is over", async () => {
  const { url, sent } = await startUpstream();
  const rules = { allowInsecureRemotes: true, allowPrivateRemotes: [] };
  const options = {
    limits: { ...LIMITS, timeoutMs: 300 },
    events: NO_EVENTS,
    hostVersion: "0.0.0",
    signal: new AbortController().signal,
  };
  const leg = new HttpLeg(await createHttpClient({ url, headers: {}, rules, connections: 2 }), options);
  const server = await openConnection(leg, { ...options, eras: NO_MEMORY, silenceTells: false });
  onTestFinished(() => server.close("the test is over"));
  const hung = Promise.all([failureOf(call(server, "hang")), failureOf(call(server, "hang"))]);
  await expect.poll(() => sent.filter(({ name }) => name === "hang").length).toBe(2);
  const caller = new AbortController();
  const cancelled = failureOf(call(server, "unsent", "{}", { signal: caller.signal }));
  const late = failureOf(call(server, "unsent"));
  caller.abort();
  expect(await cancelled).toMatchObject({ kind: "cancelled" });
  expect(await late).toMatchObject({ kind: "not_ready", details: { error: "connect_timeout" } });
  for (const failure of await hung) expect(failure).toMatchObject({ kind: "indeterminate" });
  expect((await call(server, "echo")).kind).toBe("result");
  expect(sent.filter(({ name }) => name === "unsent")).toEqual([]);
}, 30_000);
