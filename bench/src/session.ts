/**
 * One legacy MCP session with a subject (none where CHP is spoken), shared by all connections of the load client: handshake once, then any number of
 * lanes, each a connection with at most one request on it.
 */
import { HttpConnection, openSocket } from "./http-connection.ts";
import { headerOf } from "./response-reader.ts";
import { createPost, type Target } from "./target.ts";

/** Sends one message and resolves with the text of its answer. */
export interface Lane {
  send(id: number, message: string): Promise<string>;
  close(): void;
}

export interface Session {
  openLane(): Lane;
  close(): Promise<void>;
}

const PROTOCOL = "2025-06-18";
const INITIALIZE = JSON.stringify({
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: { protocolVersion: PROTOCOL, capabilities: {}, clientInfo: { name: "bench", version: "1.0.0" } },
});
const INITIALIZED = JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" });

/** The data of every event in a piece of stream that ends with a whole event. */
const dataOf = (events: string): string[] =>
  events
    .split(/\r?\n/)
    .filter((line) => line.startsWith("data:"))
    .map((line) => line.slice(5).trim())
    .filter((data) => data !== "");

const openHttpSession = async (target: Target): Promise<Session> => {
  const url = new URL(target.url);
  const opener = new HttpConnection(url);
  const hello = await opener.send(createPost(url, target.headers)(INITIALIZE));
  if (hello.status !== 200) throw new Error(`initialize was answered ${hello.status}: ${hello.body.slice(0, 200)}`);
  const id = headerOf(hello.headers, "mcp-session-id");
  const post = createPost(url, {
    ...target.headers,
    "mcp-protocol-version": PROTOCOL,
    ...(id === null ? {} : { "mcp-session-id": id }),
  });
  await opener.send(post(INITIALIZED));
  const openLane = (): Lane => {
    const connection = new HttpConnection(url);
    return {
      close: () => connection.close(),
      async send(_id, message) {
        const answer = await connection.send(post(message));
        if (answer.status !== 200) throw new Error(`answered ${answer.status}: ${answer.body.slice(0, 200)}`);
        if (!answer.headers.includes("content-type: text/event-stream")) return answer.body;
        return dataOf(answer.body).at(-1) ?? "";
      },
    };
  };
  return {
    openLane,
    // Ending the session lets a subject end what it started for it.
    close: async () => {
      if (id !== null) await opener.send(post("").replace(/^POST/, "DELETE"));
      opener.close();
    },
  };
};

/** The two ends of the old transport's stream: the address to post to, and the answers by id. */
class AnswerStream {
  readonly #waiting = new Map<number, { resolve(text: string): void; reject(error: Error): void }>();
  #rest = "";
  readonly endpoint: Promise<string>;
  readonly close: () => void;

  constructor(url: URL, headers: Readonly<Record<string, string>>) {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    this.endpoint = promise;
    const refuse = (reason: string): void => {
      reject(new Error(reason));
      for (const one of this.#waiting.values()) one.reject(new Error(reason));
    };
    const events = {
      head: (status: number) => (status === 200 ? undefined : refuse(`the stream was answered ${status}`)),
      body: (part: Buffer) => this.#read(part.toString(), resolve),
      end: () => refuse("the stream ended"),
    };
    const socket = openSocket(url, events, refuse);
    const extra = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(
      `GET ${url.pathname} HTTP/1.1\r\nHost: ${url.host}\r\nAccept: text/event-stream\r\n${extra.join("")}\r\n`,
    );
    this.close = () => socket.destroy();
  }

  expect(id: number): Promise<string> {
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
  }

  #read(text: string, found: (endpoint: string) => void): void {
    this.#rest += text;
    const end = this.#rest.lastIndexOf("\n\n");
    if (end < 0) return;
    const whole = this.#rest.slice(0, end);
    this.#rest = this.#rest.slice(end + 2);
    for (const data of dataOf(whole)) {
      if (!data.startsWith("{")) {
        found(data);
        continue;
      }
      const { id } = JSON.parse(data) as { id?: number };
      if (id === undefined) continue;
      this.#waiting.get(id)?.resolve(data);
      this.#waiting.delete(id);
    }
  }
}

const openSseSession = async (target: Target): Promise<Session> => {
  const stream = new AnswerStream(new URL(target.url), target.headers);
  const url = new URL(await stream.endpoint, target.url);
  const post = createPost(url, target.headers);
  const openLane = (): Lane => {
    const connection = new HttpConnection(url);
    return {
      close: () => connection.close(),
      async send(id, message) {
        const [answer, posted] = await Promise.all([stream.expect(id), connection.send(post(message))]);
        if (posted.status >= 300) throw new Error(`answered ${posted.status}: ${posted.body.slice(0, 200)}`);
        return answer;
      },
    };
  };
  const lane = openLane();
  await lane.send(0, INITIALIZE);
  lane.close();
  const notifier = new HttpConnection(url);
  await notifier.send(post(INITIALIZED));
  notifier.close();
  return { openLane, close: async () => stream.close() };
};

/** Each request stands for itself. */
const openChpSession = (target: Target): Session => {
  const url = new URL(target.url);
  const post = createPost(url, target.headers);
  const openLane = (): Lane => {
    const connection = new HttpConnection(url);
    return {
      close: () => connection.close(),
      async send(_id, message) {
        const { status, body } = await connection.send(post(message));
        if (status !== 200) throw new Error(`answered ${status}: ${body.slice(0, 200)}`);
        return body;
      },
    };
  };
  return { openLane, close: () => Promise.resolve() };
};

export const openSession = async (target: Target): Promise<Session> => {
  if (target.wire === "chp") return openChpSession(target);
  return target.wire === "http" ? openHttpSession(target) : openSseSession(target);
};
