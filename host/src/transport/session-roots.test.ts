/** The roots of legacy clients over HTTP: when they are asked for, and which of them each call has. */
import { afterEach, describe, expect, it } from "vitest";
import type { RawCall } from "../kernel/call.ts";
import { knock, modern } from "./client-for-tests.ts";
import { openTestDoor, OTHER, OWNER, type TestDoor } from "./door-for-tests.ts";
import { META_CAPABILITIES } from "./protocol.ts";
import {
  announced,
  askOn,
  asksOn,
  CALL,
  HERO,
  isAsk,
  isEnd,
  rootedClient,
  ROOTS,
  SIDE,
  type RootedClient,
} from "./rooted-client-for-tests.ts";
import { openStream } from "./stream-for-tests.ts";

let door: TestDoor;
afterEach(() => door.listener.close());

const open = async (limits = {}): Promise<void> => {
  door = await openTestDoor({ limits, timings: { closeMs: 200 } });
};
const begin = async (capabilities: object = ROOTS, key = OWNER): Promise<RootedClient> => {
  const session = await rootedClient(door, capabilities, key);
  await session.notify("initialized");
  return session;
};
const rootsOf = (raw: RawCall | undefined) => raw?.clientRoots;

describe("a client that has roots", () => {
  it("is asked on its stream once it is initialised, and its calls have what it said", async () => {
    await open();
    const session = await rootedClient(door);
    const stream = await session.listen();
    await session.call("ping");
    expect(stream.events).toEqual([]);
    await session.notify("initialized");
    expect((await stream.until(isAsk)).message).toEqual({
      jsonrpc: "2.0",
      id: expect.any(String),
      method: "roots/list",
      params: {},
    });
    expect(await session.answer(await askOn(stream), [HERO, { uri: SIDE.uri }])).toBe(202);
    expect(await session.rootsNow()).toEqual(announced(HERO, SIDE));
    await session.rootsNow();
    await session.call("resources/read", { uri: "a:b" });
    const [first, ...later] = door.calls.map(rootsOf);
    expect(later.every((roots) => roots === first)).toBe(true);
    expect(asksOn(stream)).toHaveLength(1);
    stream.drop();
  });

  it("is asked when its stream opens, if there was none before, and only once however often it says that it is ready", async () => {
    await open();
    const session = await begin();
    await session.notify("initialized");
    const stream = await session.listen();
    await session.answer(await askOn(stream), [HERO]);
    await session.notify("initialized");
    expect(await session.rootsNow()).toEqual(announced(HERO));
    expect(asksOn(stream)).toHaveLength(1);
    stream.drop();
  });

  it("that has no stream is asked on that of its first call, which waits for the answer", async () => {
    await open();
    const session = await begin();
    const stream = session.callOnStream();
    const id = await askOn(stream);
    expect(door.calls).toHaveLength(0);
    await session.answer(id, [HERO]);
    await stream.until(isEnd);
    expect(door.calls.map(rootsOf)).toEqual([announced(HERO)]);
    const next = await session.call("tools/call", CALL);
    expect(next.headers["content-type"]).toBe("application/json");
  });

  it("that takes no stream at all is asked nothing and waits for nothing", async () => {
    await open();
    const session = await begin();
    const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params: CALL };
    const said = await session.post(body, { accept: "application/json" });
    expect(said.json.result.content).toHaveLength(1);
    expect(door.calls.map(rootsOf)).toEqual([null]);
  });

  it("that never answers has none, and its calls go on when the time is over", async () => {
    await open({ holdSeconds: 0.05 });
    const session = await begin();
    const stream = session.callOnStream();
    const id = await askOn(stream);
    await stream.until(isEnd);
    const over = stream.events.find(({ message }) => message?.method === "notifications/cancelled");
    expect(over?.message.params.requestId).toBe(id);
    await session.answer(id, [HERO]);
    expect(await session.rootsNow()).toBeNull();
    expect(asksOn(stream)).toHaveLength(1);
  });

  it.each([
    ["an error", { error: { code: -32601, message: "No." } }],
    ["an error that is none", { error: { code: "x" } }],
    ["no list", { result: { roots: { uri: "file:///a" } } }],
    ["nothing", { result: {} }],
  ])("that answers with %s has none", async (_, said) => {
    await open();
    const session = await begin();
    const stream = await session.listen();
    await session.post({ jsonrpc: "2.0", id: await askOn(stream), ...said });
    expect(await session.rootsNow()).toBeNull();
    stream.drop();
  });

  it("that lists ten thousand and some rubbish has the first 64", async () => {
    await open();
    const session = await begin();
    const stream = await session.listen();
    const many = Array.from({ length: 10_000 }, (__, i) => ({ uri: `file:///${i}` }));
    await session.answer(await askOn(stream), [null, { uri: 1 }, ...many]);
    const roots = await session.rootsNow();
    expect(roots?.listed).toHaveLength(64);
    expect(roots?.listed[63]).toEqual({ uri: "file:///63", name: null });
    stream.drop();
  });

  it("that ends its session has its waiting call answered, without any", async () => {
    await open();
    const session = await begin();
    const stream = session.callOnStream();
    await askOn(stream);
    await openStream(door.origin, { method: "DELETE", headers: session.headers }).status;
    await stream.until(isEnd);
    expect(door.calls.map(rootsOf)).toEqual([null]);
    await expect.poll(() => door.listener.load()).toEqual({ calls: 0, sessions: 0 });
  });

  it("is not answered for by another session or another person", async () => {
    await open();
    const session = await begin();
    const thieves = [await begin(), await begin(ROOTS, OTHER)];
    const stream = await session.listen();
    const id = await askOn(stream);
    for (const thief of thieves) await thief.answer(id, [SIDE]);
    await session.answer(id, [HERO]);
    await session.answer(id, [SIDE]);
    expect(await session.rootsNow()).toEqual(announced(HERO));
    stream.drop();
  });
});

describe("a client that does not have any", () => {
  it.each([[{}], [{ roots: true }], [{ elicitation: {} }]])("and declares %j is never asked", async (capabilities) => {
    await open();
    const session = await begin(capabilities);
    const stream = await session.listen();
    await session.notify("roots/list_changed");
    expect(await session.rootsNow()).toBeNull();
    expect(stream.events).toEqual([]);
    stream.drop();
  });

  it("because it is a modern one, or no MCP client, has none whatever it declares", async () => {
    await open();
    await knock(door.origin, modern("tools/call", { ...CALL, _meta: { [META_CAPABILITIES]: ROOTS } }));
    await knock(door.origin, { path: "/v1/tools/call", body: { name: "echo" } });
    expect(door.calls.map(rootsOf)).toEqual([null, null]);
  });
});
