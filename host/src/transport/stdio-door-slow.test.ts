/** A client that does not read its pipe: nothing of it is kept without limit, and what matters is not lost. */
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { HandleCall } from "../kernel/call.ts";
import { rawMembers } from "../kernel/raw-json.ts";
import { answerWith } from "./asking-call-for-tests.ts";
import { openTestDoor, OWNER, type TestDoor } from "./door-for-tests.ts";
import { openTalk, switchToStdio, type Talk } from "./talk-for-tests.ts";

const LINES = 20_000;
const LINE = "x".repeat(1000);

/** Twenty megabytes of logs and as many steps, then the answer. */
const noisy: HandleCall = async (raw) => {
  for (let i = 1; i <= LINES; i++) {
    raw.listener.log(rawMembers(`"level":"error","data":"${LINE}"`));
    raw.listener.progress(rawMembers(`"progress":${i}`));
    if (i % 1000 === 0) await sleep(0);
  }
  return answerWith('{"content":[]}');
};

/** When a figure has stopped changing. */
const settled = async (figure: () => number): Promise<void> => {
  for (let before = -1; before !== figure(); await sleep(100)) before = figure();
};

let door: TestDoor;
let talk: Talk;
beforeEach(async () => {
  door = await openTestDoor({ handleCall: noisy, timings: { closeMs: 200 } });
  talk = openTalk(door);
  await talk.initialize();
});
afterEach(async () => {
  talk.drop();
  await door.listener.close();
});

it("logs beyond the bound are dropped and counted, progress is merged, the answer comes", async () => {
  talk.read(false);
  talk.request(1, "tools/call", { name: "noisy", _meta: { progressToken: 1 } });
  await vi.waitFor(() => expect(door.listener.load().calls).toBe(1));
  await vi.waitFor(() => expect(door.listener.load().calls).toBe(0), { timeout: 20_000 });
  talk.read(true);
  await talk.answer(1);
  const logs = talk.heard.filter(({ method }) => method === "notifications/message");
  expect(logs.length).toBeLessThan(3000);
  expect(logs.at(-1).params.data).toMatch(/^\d+ log messages were dropped/);
  const steps = talk.heard.filter(({ method }) => method === "notifications/progress");
  expect(steps.at(-1).params.progress).toBe(LINES);
  expect(talk.heard.at(-1).id).toBe(1);
});

it("a client that writes and never reads is not listened to until it reads", async () => {
  const switched = await switchToStdio(door.origin, OWNER);
  if (!("talk" in switched)) throw new Error("refused");
  const other = switched.talk;
  other.read(false);
  const many = 2000;
  const much = "x".repeat(20_000);
  door.shown.tools = JSON.stringify([{ name: much, inputSchema: { type: "object" } }]);
  for (let id = 0; id < many; id++) other.modern(id, "tools/list", { much });
  await settled(() => other.unread());
  expect(other.unread()).toBeGreaterThan(10_000_000);
  other.read(true);
  await other.answer(many - 1);
  expect(other.heard.map(({ id }) => id as number)).toEqual(Array.from({ length: many }, (_, id) => id));
  other.drop();
});
