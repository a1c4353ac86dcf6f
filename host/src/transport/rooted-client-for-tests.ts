/** A legacy client with roots over HTTP, for the tests of this room: what it hears, answers and calls. */
import type { ClientRoots } from "../kernel/roots.ts";
import { openSession } from "./client-for-tests.ts";
import { OWNER, type TestDoor } from "./door-for-tests.ts";
import { openStream, type OpenStream } from "./stream-for-tests.ts";

export const HERO = { uri: "file:///projects/hero", name: "hero" };
export const SIDE = { uri: "file:///projects/side", name: null };
export const ROOTS = { roots: { listChanged: true } };
export const CALL = { name: "echo", arguments: { a: 1 } };

export interface RootedClient extends Awaited<ReturnType<typeof openSession>> {
  notify(notice: "initialized" | "roots/list_changed"): Promise<number>;
  /** Opens the stream of its session. */
  listen(): Promise<OpenStream>;
  /** A call with id 1, whose answer is read as a stream. */
  callOnStream(): OpenStream;
  answer(id: string, roots: unknown): Promise<number>;
  /** What a call that is made now has. */
  rootsNow(): Promise<ClientRoots | null | undefined>;
}

export const rootedClient = async (
  { origin, calls }: TestDoor,
  capabilities: object = ROOTS,
  key = OWNER,
): Promise<RootedClient> => {
  const session = await openSession(origin, "2025-11-25", "/mcp", key, capabilities);
  const { headers, post } = session;
  return {
    ...session,
    notify: async (notice) => (await post({ jsonrpc: "2.0", method: `notifications/${notice}` })).status,
    listen: async () => {
      const stream = openStream(origin, { method: "GET", headers });
      await stream.status;
      return stream;
    },
    callOnStream: () =>
      openStream(origin, { headers, body: { jsonrpc: "2.0", id: 1, method: "tools/call", params: CALL } }),
    answer: async (id, roots) => (await post({ jsonrpc: "2.0", id, result: { roots } })).status,
    rootsNow: async () => {
      await session.call("tools/call", CALL);
      return calls.at(-1)?.clientRoots;
    },
  };
};

export const isAsk = ({ method }: any): boolean => method === "roots/list";
export const isEnd = ({ method, id }: any): boolean => method === undefined && id === 1;

/** The ids of all questions for roots on this stream. */
export const asksOn = ({ events }: OpenStream): string[] =>
  events.filter(({ message }) => message !== null && isAsk(message)).map(({ message }) => message.id);

/** The id of the question of that number. */
export const askOn = async (stream: OpenStream, number = 1): Promise<string> => {
  const { message } = await stream.until((one) => isAsk(one) && asksOn(stream)[number - 1] === one.id);
  return message.id;
};

export const announced = (...listed: object[]): object => ({ listed, via: "http" });
