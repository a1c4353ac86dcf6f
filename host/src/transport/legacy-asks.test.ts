import { afterEach, describe, expect, it } from "vitest";
import { askingCall, answerWith } from "./asking-call-for-tests.ts";
import { openSession } from "./client-for-tests.ts";
import { openTestDoor, OTHER, OWNER, type TestDoor } from "./door-for-tests.ts";
import { openStream } from "./stream-for-tests.ts";
import type { HandleCall } from "../kernel/call.ts";
import { rawMembers } from "../kernel/raw-json.ts";

const ALL = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };
const isAsk = (message: any): boolean => typeof message.method === "string" && message.id !== undefined;
const isEnd = (message: any): boolean => message.id === 1 && message.method === undefined;

let door: TestDoor;
afterEach(() => door.listener.close());

const start = async (capabilities: object = ALL, handleCall: HandleCall = askingCall, limits = {}) => {
  door = await openTestDoor({ handleCall, limits });
  return openSession(door.origin, "2025-11-25", "/mcp", OWNER, capabilities);
};
type Opened = Awaited<ReturnType<typeof openSession>>;

const call = ({ headers }: Opened, rounds: object[][], id = 1) =>
  openStream(door.origin, {
    headers,
    body: { jsonrpc: "2.0", id, method: "tools/call", params: { name: "x", arguments: { rounds } } },
  });

const answer = (session: Opened, id: unknown, result: object) => session.post({ jsonrpc: "2.0", id, result });

describe("a question to the client of a legacy session", () => {
  it("comes as a request on the stream of its call, and the answer reaches the server byte for byte", async () => {
    const session = await start();
    const stream = call(session, [[{ message: "Who?" }]]);
    const { message: asked } = await stream.until(isAsk);
    expect(asked).toMatchObject({ method: "elicitation/create", params: { message: "Who?", n: 1 } });
    const said = await session.post(
      `{"jsonrpc":"2.0","id":"${asked.id}","result":{"action":"accept","content":{"n":1.0}}}`,
    );
    expect(said.status).toBe(202);
    const { message: end } = await stream.until(isEnd);
    expect(end.result.said).toEqual([{ action: "accept", content: { n: 1 } }]);
  });

  it("of a page to open carries the id that the modern form has not", async () => {
    const session = await start(ALL, async (raw) => {
      const params = '{"mode":"url","message":"m","url":"https://x/"}' as never;
      const said = await raw.asker.ask({ method: "elicitation/create", params, key: null }, raw.signal);
      return answerWith(`{"said":${said.json}}`);
    });
    const stream = call(session, []);
    const { message } = await stream.until(isAsk);
    expect(message.params).toMatchObject({
      mode: "url",
      url: "https://x/",
      elicitationId: expect.stringMatching(/^[0-9a-f]{32}$/),
    });
    await answer(session, message.id, { action: "accept" });
    await stream.until(isEnd);
  });

  it("may be several at once, answered in any order", async () => {
    const session = await start();
    const stream = call(session, [[{ message: "a" }, { method: "sampling/createMessage" }, { method: "roots/list" }]]);
    const asks = await Promise.all(
      ["elicitation/create", "sampling/createMessage", "roots/list"].map((method) =>
        stream.until((m) => m.method === method),
      ),
    );
    for (const { message } of asks.toReversed()) await answer(session, message.id, { to: message.method });
    const { message: end } = await stream.until(isEnd);
    expect(end.result.said.map((said: any) => said.to)).toEqual([
      "elicitation/create",
      "sampling/createMessage",
      "roots/list",
    ]);
  });

  it("answered with an error reaches the server as that error", async () => {
    const session = await start();
    const stream = call(session, [[{ method: "sampling/createMessage" }]]);
    const { message } = await stream.until(isAsk);
    await session.post({ jsonrpc: "2.0", id: message.id, error: { code: -1, message: "User rejected", data: 1 } });
    const { message: end } = await stream.until(isEnd);
    expect(end.result.said).toEqual([{ code: -1, message: "User rejected", data: 1 }]);
  });

  it("cannot be answered by another session, another principal, twice, or under a made-up id", async () => {
    const session = await start();
    const second = await openSession(door.origin, "2025-11-25", "/mcp", OWNER, ALL);
    const stranger = await openSession(door.origin, "2025-11-25", "/mcp", OTHER, ALL);
    const stream = call(session, [[{ message: "a" }]]);
    const { message } = await stream.until(isAsk);
    for (const thief of [second, stranger])
      await answer(thief, message.id, { action: "accept", content: { stolen: true } });
    await answer(session, "bw-999", { action: "accept", content: { stolen: true } });
    await answer(session, 1, { action: "accept", content: { stolen: true } });
    await answer(session, message.id, { action: "decline" });
    await answer(session, message.id, { action: "accept", content: { second: true } });
    const { message: end } = await stream.until(isEnd);
    expect(end.result.said).toEqual([{ action: "decline" }]);
  });

  it("is never put to a client that takes no stream, and nothing is claimed for it", async () => {
    const session = await start();
    const said = await session.post(
      { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "x", arguments: { rounds: [[{}]] } } },
      { accept: "application/json" },
    );
    expect(said.json.result.said).toMatchObject([{ code: -32601 }]);
    expect(door.calls[0]?.asker.declared.value).toEqual({});
  });

  it("counts as cancelled when nobody answers in time, and the client hears that it is over", async () => {
    const session = await start(ALL, askingCall, { holdSeconds: 0.05 });
    const stream = call(session, [[{ message: "a" }, { method: "roots/list" }]]);
    const { message: end } = await stream.until(isEnd);
    expect(end.result.said).toEqual([{ action: "cancel" }, { code: -32603, message: expect.any(String) }]);
    const over = stream.events.filter(({ message }) => message?.method === "notifications/cancelled");
    expect(over).toHaveLength(2);
  });

  it("ends with its session", async () => {
    const session = await start();
    const stream = call(session, [[{ message: "a" }]]);
    await stream.until(isAsk);
    await openStream(door.origin, { method: "DELETE", headers: session.headers }).status;
    const { message: end } = await stream.until(isEnd);
    expect(end.result.said).toEqual([{ action: "cancel" }]);
  });
});

describe("a client that loses its stream", () => {
  const waitingCall = (): { handleCall: HandleCall; release: () => void; cancelled: () => boolean } => {
    const { promise, resolve } = Promise.withResolvers<void>();
    let signal: AbortSignal | null = null;
    return {
      release: resolve,
      cancelled: () => signal?.aborted === true,
      handleCall: async (raw) => {
        signal = raw.signal;
        raw.listener.progress(rawMembers('"progress":1'));
        await promise;
        raw.listener.progress(rawMembers('"progress":2'));
        return answerWith('{"content":["done"]}');
      },
    };
  };
  const chatty = ({ headers }: Opened) =>
    openStream(door.origin, {
      headers,
      body: { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "x", _meta: { progressToken: 7 } } },
    });
  const resume = ({ headers }: Opened, id: string) =>
    openStream(door.origin, { method: "GET", headers: { ...headers, "last-event-id": id } });

  it("takes it up where it stood, while the call goes on, and gets everything once", async () => {
    const { handleCall, release, cancelled } = waitingCall();
    const session = await start(ALL, handleCall);
    const first = chatty(session);
    const { id } = await first.until((message) => message.params?.progress === 1);
    first.drop();
    await first.ended;
    const second = resume(session, String(id));
    expect(await second.status).toBe(200);
    expect(cancelled()).toBe(false);
    release();
    await second.until(isEnd);
    await second.ended;
    expect(second.events.map(({ message }) => message.params?.progress ?? message.result.content[0])).toEqual([
      2,
      "done",
    ]);
  });

  it("gets the end of a call that ended in between, also from the first event on", async () => {
    const { handleCall, release } = waitingCall();
    const session = await start(ALL, handleCall);
    const first = chatty(session);
    await first.until((message) => message.params?.progress === 1);
    const primed = first.events[0];
    expect(primed).toMatchObject({ message: null, id: expect.any(String) });
    first.drop();
    await first.ended;
    release();
    const second = resume(session, String(primed?.id));
    await second.until(isEnd);
    expect(second.events.map(({ message }) => message.params?.progress ?? "end")).toEqual([1, 2, "end"]);
  });

  it("of an older revision is sent no event without data", async () => {
    const { handleCall, release } = waitingCall();
    door = await openTestDoor({ handleCall });
    const session = await openSession(door.origin, "2025-06-18");
    const stream = chatty(session);
    release();
    await stream.until(isEnd);
    expect(stream.events.every(({ message }) => message !== null)).toBe(true);
  });

  it("sees nothing of it in another session, even of its own principal", async () => {
    const { handleCall, release } = waitingCall();
    const session = await start(ALL, handleCall);
    const other = await openSession(door.origin);
    const first = chatty(session);
    const { id } = await first.until((message) => message.params?.progress === 1);
    release();
    await first.until(isEnd);
    const foreign = resume(other, String(id));
    door.announceChange();
    await foreign.until((message) => message.method === "notifications/tools/list_changed");
    expect(foreign.events.some(({ message }) => message.params?.progress !== undefined)).toBe(false);
    foreign.drop();
  });
});

describe("subscriptions of a legacy session", () => {
  const updates = (stream: ReturnType<typeof openStream>) =>
    stream.until((m) => m.method === "notifications/resources/updated");

  it("are told on the session's stream, kept until one opens, and end when unsubscribed", async () => {
    const session = await start();
    door.watchable.add("test://a");
    expect((await session.call("resources/subscribe", { uri: "test://a" })).json.result).toEqual({});
    expect((await session.call("resources/subscribe", { uri: "test://a" })).json.result).toEqual({});
    expect(door.watching()).toBe(1);
    door.update("test://a");
    const stream = openStream(door.origin, { method: "GET", headers: session.headers });
    expect((await updates(stream)).message.params).toEqual({ uri: "test://a" });
    await session.call("resources/unsubscribe", { uri: "test://a" });
    expect(door.watching()).toBe(0);
    stream.drop();
  });

  it("end with the session", async () => {
    const session = await start();
    door.watchable.add("test://a");
    await session.call("resources/subscribe", { uri: "test://a" });
    await openStream(door.origin, { method: "DELETE", headers: session.headers }).status;
    expect(door.watching()).toBe(0);
  });

  it.each([[{}], [{ uri: 5 }], [{ uri: "test://unknown" }]])("of %j are refused with -32602", async (params) => {
    const session = await start();
    expect((await session.call("resources/subscribe", params)).json.error.code).toBe(-32602);
  });

  it("of a URI above 8 KiB are refused", async () => {
    const session = await start();
    const [fits, long] = [`test:/${"é".repeat(4093)}`, `test://${"é".repeat(4093)}`];
    for (const uri of [fits, long]) door.watchable.add(uri);
    expect((await session.call("resources/subscribe", { uri: fits })).json.result).toEqual({});
    const { error } = (await session.call("resources/subscribe", { uri: long })).json;
    expect(error).toMatchObject({ code: -32602, message: expect.stringContaining("8192") });
    expect(door.watching()).toBe(1);
  });

  it("missed notices are sent again to a client that names the last one it saw", async () => {
    const session = await start();
    const stream = openStream(door.origin, { method: "GET", headers: session.headers });
    await stream.status;
    door.announceChange();
    const { id } = await stream.until((m) => m.method === "notifications/tools/list_changed");
    await stream.until((m) => m.method === "notifications/resources/list_changed");
    stream.drop();
    await stream.ended;
    const again = openStream(door.origin, {
      method: "GET",
      headers: { ...session.headers, "last-event-id": String(id) },
    });
    await again.until((m) => m.method === "notifications/resources/list_changed");
    expect(again.events.some(({ message }) => message.method === "notifications/tools/list_changed")).toBe(false);
    again.drop();
  });
});
