import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { StandInChats } from "./chat-agent-for-tests.ts";
import { readChat, type ChatReader } from "./chat-reader-for-tests.ts";
import type { ScriptedRun } from "./chat-run-for-tests.ts";
import { knock } from "./client-for-tests.ts";
import { openTestDoor, OTHER, OWNER, type TestDoor } from "./door-for-tests.ts";

let door: TestDoor;
let chats: StandInChats;
beforeEach(async () => {
  door = await openTestDoor({ timings: { closeMs: 50 } });
  ({ chats } = door.governance);
});
afterEach(async () => {
  await door.listener.close();
  expect(door.listener.load().calls).toBe(0);
});

const stream = (message: string, key = OWNER): Promise<ChatReader> =>
  readChat(door.origin, {
    path: "/v1/chat/stream",
    body: { message },
    headers: { authorization: `Bearer ${key}` },
  });
const follow = (id: string, headers: Record<string, string> = {}, query = ""): Promise<ChatReader> =>
  readChat(door.origin, { method: "GET", path: `/v1/runs/${id}/events${query}`, headers });
const run = (): ScriptedRun => chats.runs[0]!;
const idsOf = ({ events }: ChatReader): number[] => events.map(({ id }) => Number(id));

describe("a run that is heard again", () => {
  it("tells each event once, whoever heard how much before", async () => {
    const first = await stream("go");
    for (const text of ["a", "b", "c"]) run().tell({ type: "text.delta", text });
    await vi.waitFor(() => expect(first.events).toHaveLength(4));
    first.leave();
    run().tell({ type: "text.delta", text: "d" });
    const second = await follow("run_1", { "last-event-id": "3" });
    run().tell({ type: "text.delta", text: "e" });
    run().finish("abcde");
    await second.ended;
    expect(idsOf(second)).toEqual([4, 5, 6, 7]);
    const all = await follow("run_1");
    await all.ended;
    expect(all.events.slice(3)).toEqual(second.events);
    expect(idsOf(all)).toEqual([1, 2, 3, 4, 5, 6, 7]);
  });

  it("goes on after the number in the address, unless the header says a later one", async () => {
    await (
      await stream("hello")
    ).ended;
    const byQuery = await follow("run_1", {}, "?after=2");
    await byQuery.ended;
    expect(idsOf(byQuery)).toEqual([3, 4]);
    const byHeader = await follow("run_1", { "last-event-id": "3" }, "?after=2");
    await byHeader.ended;
    expect(idsOf(byHeader)).toEqual([4]);
  });

  it("has nothing more for who has heard all of it", async () => {
    await (
      await stream("hello")
    ).ended;
    const reader = await follow("run_1", { "last-event-id": "4" });
    await reader.ended;
    expect(reader.status).toBe(204);
    expect(reader.events).toEqual([]);
  });

  it("is answered at once where it has nothing to say yet", async () => {
    await stream("go");
    const reader = await follow("run_1", { "last-event-id": "1" });
    expect(reader.status).toBe(200);
    run().finish("now");
    await reader.ended;
    expect(idsOf(reader)).toEqual([2]);
  });

  it("is heard by several, each at its own pace", async () => {
    const readers = [await stream("go"), await follow("run_1"), await follow("run_1", { "last-event-id": "1" })];
    run().finish("all");
    await Promise.all(readers.map(({ ended }) => ended));
    expect(readers.map(idsOf)).toEqual([[1, 2], [1, 2], [2]]);
  });

  it.each([
    ["no run of anybody", "run_99", OWNER, {}, 404],
    ["another's run", "run_1", OTHER, {}, 404],
    ["a run of another workspace", "run_1", OWNER, { "x-workspace-id": "ws_secret" }, 404],
    ["a strange last id", "run_1", OWNER, { "last-event-id": "-1" }, 400],
    ["an empty last id", "run_1", OWNER, { "last-event-id": "" }, 400],
    ["a wrong key", "run_1", "no-key", {}, 401],
  ])("is not there for %s", async (_, id, key, headers, status) => {
    await (
      await stream("hello")
    ).ended;
    const reader = await follow(id, { authorization: `Bearer ${key}`, ...headers });
    expect(reader.status).toBe(status);
    expect(reader.headers["content-type"]).toBe("application/json");
  });

  it("refuses a strange number in the address", async () => {
    await (
      await stream("hello")
    ).ended;
    expect((await follow("run_1", {}, "?after=x")).status).toBe(400);
  });

  it("may be heard so many times at once and no more", async () => {
    await stream("go");
    const readers = await Promise.all(Array.from({ length: 255 }, () => follow("run_1")));
    expect(readers.every(({ status }) => status === 200)).toBe(true);
    expect((await follow("run_1")).status).toBe(429);
    expect((await stream("go")).status).toBe(429);
    expect(chats.runs).toHaveLength(1);
    run().finish("");
    await Promise.all(readers.map(({ ended }) => ended));
  });
});

describe("what was sent in a run", () => {
  it.each([
    ["the owner", OWNER, "run_1", 200],
    ["who is no owner", OTHER, "run_2", 403],
    ["anybody but whose it is", OTHER, "run_1", 404],
    ["whoever guesses", OWNER, "..%2F..%2Fetc", 404],
  ])("to %s: %s, %s, %i", async (_, key, id, status) => {
    for (const one of [OWNER, OTHER]) await (await stream("hello", one)).ended;
    const headers = { authorization: `Bearer ${key}` };
    const said = await knock(door.origin, { method: "GET", path: `/v1/runs/${id}/prompt`, headers });
    expect(said.status).toBe(status);
    if (status === 200) expect(said.json).toMatchObject({ model: "stub:one", layers: [{ layer: 1, source: "host" }] });
    else expect(said.json).toMatchObject({ error: expect.any(String), remedy: expect.any(String) });
  });
});
