/** The roots of legacy clients on a pipe: calls wait for them in the order of the lines. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openTestDoor, OWNER, type TestDoor } from "./door-for-tests.ts";
import { openTalk, switchToStdio, type Talk } from "./talk-for-tests.ts";

const HERO = { uri: "file:///projects/hero", name: "hero" };
const SIDE = { uri: "file:///projects/side", name: null };
const ROOTS = { roots: { listChanged: true } };
const CALL = { name: "echo", arguments: {} };

let door: TestDoor;
let talk: Talk;
const open = async (limits = {}): Promise<void> => {
  door = await openTestDoor({ limits, timings: { closeMs: 200 } });
  talk = openTalk(door);
};
beforeEach(() => open());
afterEach(async () => {
  talk.drop();
  await door.listener.close();
});

const asks = (): string[] => talk.heard.filter(({ method }) => method === "roots/list").map(({ id }) => id);
/** The question of that number. */
const ask = async (number = 1): Promise<string> => {
  await talk.until(() => asks().length >= number);
  return asks()[number - 1] ?? "";
};
const answer = (id: string, ...roots: object[]): void => talk.send({ id, result: { roots } });
const change = (): void => talk.send({ method: "notifications/roots/list_changed" });
const rootsOf = (id: number) => door.calls[id]?.clientRoots;
const piped = (...listed: object[]) => ({ listed, via: "stdio" });

describe("a client on a pipe that has roots", () => {
  it("is asked, and calls that come before the answer wait for it while all else goes on", async () => {
    await talk.initialize(ROOTS);
    const id = await ask();
    talk.request(1, "tools/call", CALL);
    talk.request(2, "ping");
    await talk.answer(2);
    expect(door.calls).toHaveLength(0);
    answer(id, HERO, SIDE);
    await talk.answer(1);
    expect(rootsOf(0)).toEqual(piped(HERO, SIDE));
  });

  it("announces others, which count from then on, and withdraws what it does not list again", async () => {
    await talk.initialize(ROOTS);
    answer(await ask(), HERO);
    talk.request(1, "tools/call", CALL);
    change();
    talk.request(2, "tools/call", CALL);
    answer(await ask(2), SIDE);
    await talk.answer(2);
    change();
    talk.request(3, "tools/call", CALL);
    talk.send({ id: await ask(3), error: { code: -32603, message: "No." } });
    await Promise.all([1, 2, 3].map((id) => talk.answer(id)));
    expect([0, 1, 2].map(rootsOf)).toEqual([piped(HERO), piped(SIDE), piped()]);
  });

  it("is one of this machine also where it joined the host that runs", async () => {
    const switched = await switchToStdio(door.origin, OWNER);
    if (!("talk" in switched)) throw new Error("refused");
    talk.drop();
    talk = switched.talk;
    await talk.initialize(ROOTS);
    answer(await ask(), HERO);
    talk.request(1, "tools/call", CALL);
    await talk.answer(1);
    expect(rootsOf(0)).toEqual(piped(HERO));
  });

  it("may cancel a call that waits for its answer", async () => {
    await talk.initialize(ROOTS);
    await ask();
    talk.request(1, "tools/call", CALL);
    talk.send({ method: "notifications/cancelled", params: { requestId: 1 } });
    talk.request(2, "ping");
    await talk.answer(2);
    expect(door.calls.map(({ signal }) => signal.aborted)).toEqual([true]);
    expect(talk.heard.some(({ id }) => id === 1)).toBe(false);
  });

  it("whose input ends is not waited for", async () => {
    await talk.initialize(ROOTS);
    await ask();
    talk.request(1, "tools/call", CALL);
    talk.endInput();
    await talk.over;
    expect((await talk.answer(1)).result.content).toHaveLength(1);
    expect(rootsOf(0)).toBeNull();
  });

  it("holds no more calls back than it may have in flight", async () => {
    await talk.initialize(ROOTS);
    const id = await ask();
    for (let i = 0; i < 257; i++) talk.request(i, "tools/call", CALL);
    const { result } = await talk.answer(256);
    expect(result._meta["dev.bailiwick/refusal"].kind).toBe("rate_limited");
    expect(door.calls).toHaveLength(0);
    answer(id, HERO);
    await talk.answer(255);
    expect(door.calls).toHaveLength(256);
  });

  it("that never answers goes on without", async () => {
    talk.drop();
    await door.listener.close();
    await open({ holdSeconds: 0.05 });
    await talk.initialize(ROOTS);
    talk.request(1, "tools/call", CALL);
    await talk.answer(1);
    expect(rootsOf(0)).toBeNull();
    expect(talk.heard.filter(({ method }) => method === "notifications/cancelled")).toHaveLength(1);
  });

  it("may say that they changed, and list them, in an array of messages", async () => {
    await talk.initialize(ROOTS, "2025-03-26");
    answer(await ask(), HERO);
    const asked = { jsonrpc: "2.0", id: 1, method: "tools/call", params: CALL };
    const changed = { jsonrpc: "2.0", method: "notifications/roots/list_changed" };
    talk.write(`${JSON.stringify([asked, changed])}\n`);
    talk.write(`${JSON.stringify([{ jsonrpc: "2.0", id: await ask(2), result: { roots: [SIDE] } }])}\n`);
    await talk.until((said) => Array.isArray(said));
    expect(rootsOf(0)).toEqual(piped(SIDE));
  });
});

describe("a host that stops while a client is asked for its roots", () => {
  it("answers the call that waits, and nothing is left", async () => {
    await talk.initialize(ROOTS);
    await ask();
    talk.request(1, "tools/call", CALL);
    talk.request(2, "ping");
    await talk.answer(2);
    await door.listener.close();
    expect((await talk.answer(1)).result.content).toHaveLength(1);
    expect(door.listener.load()).toEqual({ calls: 0, sessions: 0 });
    expect(door.bugs).toEqual([]);
  });
});
