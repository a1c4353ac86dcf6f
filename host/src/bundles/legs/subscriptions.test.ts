import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import type { Connection, ConnectionEvents } from "../connection.ts";
import { connectHttp } from "./connect-http.ts";
import { LIMITS, NO_EVENTS } from "./process-for-tests.ts";

const OPENED = {
  protocolVersion: "2025-11-25",
  capabilities: { resources: { subscribe: true } },
  serverInfo: { name: "watched", version: "1" },
};

/** A legacy server with sessions that it can forget. */
class WatchedServer {
  readonly asked: string[] = [];
  readonly #sessions = new Set<string>();
  #made = 0;
  #stream: ServerResponse | null = null;
  /** The sessions whose standing streams are open. */
  readonly standing: string[] = [];
  readonly #server = createServer((request, response) => {
    if (request.method === "GET") this.#get(request, response);
    else if (request.method === "POST") void this.#post(request, response);
    else response.writeHead(200).end();
  });

  async start(): Promise<string> {
    this.#server.listen(0, "127.0.0.1");
    await new Promise((resolve) => this.#server.once("listening", resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/mcp`;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  forget(): void {
    this.#sessions.clear();
  }

  cut(): void {
    this.#stream?.destroy();
  }

  tell(uri: string): void {
    const notice = { jsonrpc: "2.0", method: "notifications/resources/updated", params: { uri } };
    this.#stream?.write(`data: ${JSON.stringify(notice)}\n\n`);
  }

  #knows(request: IncomingMessage): boolean {
    return this.#sessions.has(String(request.headers["mcp-session-id"]));
  }

  #get(request: IncomingMessage, response: ServerResponse): void {
    if (!this.#knows(request)) return void response.writeHead(404).end();
    response.writeHead(200, { "content-type": "text/event-stream" }).write("retry: 10\n\n");
    this.#stream = response;
    const session = String(request.headers["mcp-session-id"]);
    this.standing.push(session);
    response.on("close", () => this.standing.splice(this.standing.indexOf(session), 1));
  }

  async #post(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = "";
    for await (const chunk of request) body += String(chunk);
    const { id, method, params } = JSON.parse(body) as { id?: number; method: string; params: { uri?: string } };
    if (method === "server/discover") return void response.writeHead(404).end();
    if (method !== "initialize" && !this.#knows(request)) return void response.writeHead(404).end();
    if (id === undefined) return void response.writeHead(202).end();
    if (method === "initialize") this.#sessions.add(`s${++this.#made}`);
    if (params.uri !== undefined) this.asked.push(`${method} ${params.uri}`);
    const result = method === "initialize" ? OPENED : method === "tools/list" ? { tools: [] } : {};
    const headers = { "content-type": "application/json", "mcp-session-id": `s${this.#made}` };
    response.writeHead(200, headers).end(JSON.stringify({ jsonrpc: "2.0", id, result }));
  }
}

const connect = async (upstream: WatchedServer, events: ConnectionEvents = NO_EVENTS): Promise<Connection> => {
  const connection = await connectHttp({
    url: await upstream.start(),
    headers: {},
    rules: { allowInsecureRemotes: true, allowPrivateRemotes: [] },
    limits: LIMITS,
    events,
    signal: new AbortController().signal,
    hostVersion: "0.0.0",
  });
  onTestFinished(async () => {
    await connection.close("the test is over");
    upstream.stop();
  });
  return connection;
};

test("what is watched over legacy HTTP is asked for again when the session is made anew", async () => {
  const upstream = new WatchedServer();
  const heard: (string | null)[] = [];
  const connection = await connect(upstream, { ...NO_EVENTS, resourceUpdated: (uri) => heard.push(uri) });
  connection.watch(new Set(["test://a", "test://b"]));
  const both = ["resources/subscribe test://a", "resources/subscribe test://b"];
  await expect.poll(() => upstream.asked).toEqual(both);
  upstream.tell("test://a");
  await expect.poll(() => heard).toEqual(["test://a"]);
  upstream.forget();
  upstream.cut();
  await connection.ping(5_000);
  await expect.poll(() => upstream.asked).toEqual([...both, ...both]);
  expect(heard).toContain(null);
  await expect
    .poll(() => {
      upstream.tell("test://b");
      return heard;
    })
    .toContain("test://b");
  connection.watch(new Set(["test://b"]));
  await expect.poll(() => upstream.asked.at(-1)).toBe("resources/unsubscribe test://a");
});

test("a session that is made anew has one standing stream, and that of the old one is closed", async () => {
  const upstream = new WatchedServer();
  const connection = await connect(upstream);
  for (const session of ["s1", "s2", "s3"]) {
    await expect.poll(() => upstream.standing).toEqual([session]);
    upstream.forget();
    await connection.ping(5_000);
  }
  await expect.poll(() => upstream.standing).toEqual(["s4"]);
});

test("many resources are asked for a few at a time, and each of them once", async () => {
  const upstream = new WatchedServer();
  const connection = await connect(upstream);
  const uris = new Set<string>();
  for (let i = 0; i < 100; i++) {
    uris.add(`test://${i}`);
    connection.watch(uris);
  }
  await expect.poll(() => upstream.asked.length).toBe(100);
  expect(new Set(upstream.asked).size).toBe(100);
  uris.clear();
  connection.watch(uris);
  await expect.poll(() => upstream.asked.filter((line) => line.includes("unsubscribe")).length).toBe(100);
});
