/** Roots that a legacy client changes: nothing that it withdrew stays in force. */
import { afterEach, describe, expect, it } from "vitest";
import type { RawCall } from "../kernel/call.ts";
import { openTestDoor, type TestDoor } from "./door-for-tests.ts";
import {
  announced,
  askOn,
  asksOn,
  CALL,
  HERO,
  isEnd,
  rootedClient,
  SIDE,
  type RootedClient,
} from "./rooted-client-for-tests.ts";
import type { OpenStream } from "./stream-for-tests.ts";

let door: TestDoor;
afterEach(() => door.listener.close());

const open = async (limits = {}): Promise<void> => {
  door = await openTestDoor({ limits, timings: { closeMs: 200 } });
};
const begin = async (): Promise<RootedClient> => {
  const session = await rootedClient(door);
  await session.notify("initialized");
  return session;
};
const rootsOf = (raw: RawCall | undefined) => raw?.clientRoots;

describe("roots that changed", () => {
  /** A session whose client announced HERO, and its stream. */
  const rooted = async (limits = {}): Promise<{ session: RootedClient; stream: OpenStream }> => {
    await open(limits);
    const session = await begin();
    const stream = await session.listen();
    await session.answer(await askOn(stream), [HERO]);
    return { session, stream };
  };

  it("are asked for again, and count from the next call on; a call in between keeps what it had", async () => {
    const { session, stream } = await rooted();
    const before = session.call("tools/call", { name: "slow" });
    await expect.poll(() => door.calls.length).toBe(1);
    await session.notify("roots/list_changed");
    await session.answer(await askOn(stream, 2), [SIDE]);
    expect(await session.rootsNow()).toEqual(announced(SIDE));
    expect(rootsOf(door.calls[0])).toEqual(announced(HERO));
    door.release();
    await before;
    stream.drop();
  });

  it.each([
    ["an error", { error: { code: -32603, message: "No." } }],
    ["no list", { result: { roots: "gone" } }],
    ["an empty list", { result: { roots: [] } }],
  ])("and are then answered with %s are withdrawn", async (_, said) => {
    const { session, stream } = await rooted();
    await session.notify("roots/list_changed");
    await session.post({ jsonrpc: "2.0", id: await askOn(stream, 2), ...said });
    expect(await session.rootsNow()).toEqual(announced());
    stream.drop();
  });

  it("and are never listed again are withdrawn, also for a call that came too early", async () => {
    const { session, stream } = await rooted({ holdSeconds: 0.2 });
    await session.notify("roots/list_changed");
    const id = await askOn(stream, 2);
    expect(await session.rootsNow()).toEqual(announced());
    await session.answer(id, [HERO]);
    expect(await session.rootsNow()).toEqual(announced());
    stream.drop();
  });

  it("and cannot be asked for are withdrawn at once", async () => {
    await open();
    const session = await begin();
    const stream = session.callOnStream();
    await session.answer(await askOn(stream), [HERO]);
    await stream.until(isEnd);
    await session.notify("roots/list_changed");
    const body = { jsonrpc: "2.0", id: 2, method: "tools/call", params: CALL };
    await session.post(body, { accept: "application/json" });
    expect(door.calls.map(rootsOf)).toEqual([announced(HERO), announced()]);
  });

  it("twice while a question is out are asked for once more, and the outdated answer is dropped", async () => {
    await open();
    const session = await begin();
    const stream = await session.listen();
    const first = await askOn(stream);
    await session.notify("roots/list_changed");
    await session.notify("roots/list_changed");
    expect(asksOn(stream)).toEqual([first]);
    const waiting = session.call("tools/call", CALL);
    await session.answer(first, [HERO]);
    const second = await askOn(stream, 2);
    await session.answer(first, [HERO]);
    await session.answer(second, [SIDE]);
    await waiting;
    expect(door.calls.map(rootsOf)).toEqual([announced(SIDE)]);
    expect(asksOn(stream)).toHaveLength(2);
    stream.drop();
  });

  it("while the question is out on the stream of a call are asked for there again", async () => {
    await open();
    const session = await begin();
    const stream = session.callOnStream();
    const first = await askOn(stream);
    await session.notify("roots/list_changed");
    await session.answer(first, [HERO]);
    await session.answer(await askOn(stream, 2), [SIDE]);
    await stream.until(isEnd);
    expect(door.calls.map(rootsOf)).toEqual([announced(SIDE)]);
  });

  it("again and again keep no call waiting for ever", async () => {
    await open();
    const session = await begin();
    const stream = session.callOnStream();
    for (const number of [1, 2]) {
      const id = await askOn(stream, number);
      await session.notify("roots/list_changed");
      await session.answer(id, [HERO]);
    }
    await stream.until(isEnd);
    expect(door.calls.map(rootsOf)).toEqual([announced()]);
    expect(asksOn(stream)).toHaveLength(2);
    const next = session.callOnStream();
    await session.answer(await askOn(next), [SIDE]);
    await next.until(isEnd);
    expect(rootsOf(door.calls[1])).toEqual(announced(SIDE));
  });
});
