/** A client on a pipe for the tests of this room: it writes lines and remembers what it hears. */
import { request } from "node:http";
import { Duplex, PassThrough, type Readable, type Writable } from "node:stream";
import type { TestDoor } from "./door-for-tests.ts";
import { META_CAPABILITIES, META_VERSION, MODERN_VERSION } from "./protocol.ts";
import { END_OF_INPUT, STDIO_PATH, STDIO_PROTOCOL } from "./stdio-protocol.ts";

export interface Talk {
  readonly heard: any[];
  /** Bytes as they are. */
  write(text: string): void;
  send(message: object): void;
  request(id: unknown, method: string, params?: object): void;
  /** The same in the modern era. */
  modern(id: unknown, method: string, params?: object, capabilities?: object): void;
  initialize(capabilities?: object, version?: string): Promise<any>;
  /** The next message that is one, also if it came already. */
  until(isOne: (message: any) => boolean): Promise<any>;
  answer(id: unknown): Promise<any>;
  /** Reads no more, or again. */
  read(on: boolean): void;
  /** Bytes that it wrote and the door has not taken. */
  unread(): number;
  endInput(): void;
  /** Breaks off. */
  drop(): void;
  /** Settles when the door is through with it. */
  readonly over: Promise<void>;
}

interface Pipe {
  readonly up: Writable;
  readonly down: Readable;
  readonly over: Promise<void>;
  readonly endInput: () => void;
}

const talkOn = ({ up, down, over, endInput }: Pipe): Talk => {
  const heard: any[] = [];
  const waiting = new Set<() => void>();
  let text = "";
  down.on("data", (chunk: Buffer) => {
    text += chunk.toString("utf8");
    for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n")) {
      heard.push(JSON.parse(text.slice(0, at)));
      text = text.slice(at + 1);
    }
    for (const look of waiting) look();
  });
  const write = (line: string): void => void up.write(line);
  const send = (message: object): void => write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const until = (isOne: (message: any) => boolean): Promise<any> =>
    new Promise((resolve) => {
      const look = (): void => {
        const found = heard.find(isOne);
        if (found === undefined) return;
        waiting.delete(look);
        resolve(found);
      };
      waiting.add(look);
      look();
    });
  const answer = (id: unknown): Promise<any> => until((message) => message.id === id && message.method === undefined);
  return {
    heard,
    write,
    send,
    request: (id, method, params = {}) => send({ id, method, params }),
    modern: (id, method, params = {}, capabilities = {}) => {
      const _meta = { [META_VERSION]: MODERN_VERSION, [META_CAPABILITIES]: capabilities };
      send({ id, method, params: { ...params, _meta } });
    },
    initialize: async (capabilities = {}, protocolVersion = "2025-11-25") => {
      const params = { protocolVersion, capabilities, clientInfo: { name: "t", version: "1" } };
      send({ id: "init", method: "initialize", params });
      const said = await answer("init");
      send({ method: "notifications/initialized" });
      return said;
    },
    until,
    answer,
    read: (on) => void (on ? down.resume() : down.pause()),
    unread: () => up.writableLength + (up instanceof Duplex ? up.readableLength : 0),
    endInput,
    drop: () => {
      up.destroy();
      down.destroy();
    },
    over,
  };
};

/** Speaks with the door in this process. */
export const openTalk = ({ listener }: TestDoor, provider: string | null = null, signal?: AbortSignal): Talk => {
  const [up, down] = [new PassThrough(), new PassThrough()];
  const order = { input: up, output: down, provider, ...(signal && { signal }) };
  return talkOn({ up, down, over: listener.stdio(order), endInput: () => void up.end() });
};

export interface UpgradeOrder {
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export type Switched = { readonly talk: Talk } | { readonly status: number; readonly json: any };

/** Asks a listener for the door on a connection. */
export const switchToStdio = (origin: string, key: string, order: UpgradeOrder = {}): Promise<Switched> =>
  new Promise((resolve, reject) => {
    const headers = {
      connection: "Upgrade",
      upgrade: STDIO_PROTOCOL,
      authorization: `Bearer ${key}`,
      ...order.headers,
    };
    const asked = request(`${origin}${order.path ?? STDIO_PATH}`, { headers, agent: false });
    asked.once("upgrade", (_, socket: Duplex) => {
      socket.on("error", () => {});
      const over = new Promise<void>((done) => void socket.once("close", () => done()));
      socket.once("end", () => void socket.end());
      resolve({ talk: talkOn({ up: socket, down: socket, over, endInput: () => socket.write(`${END_OF_INPUT}\n`) }) });
    });
    asked.once("response", (res) => {
      let text = "";
      res.on("data", (chunk: Buffer) => (text += chunk.toString("utf8")));
      res.on("end", () => resolve({ status: res.statusCode ?? 0, json: text === "" ? null : JSON.parse(text) }));
    });
    asked.once("error", reject);
    asked.end();
  });
