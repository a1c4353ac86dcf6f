/** On a pipe nothing says whose question it is. */
import { setTimeout as sleep } from "node:timers/promises";
import { beforeEach, describe, expect, it } from "vitest";
import { marksIn, newMark, openPeople, scriptFor, takeAll, takeTurn, type People } from "./interleaving-for-tests.ts";

let people: People;

beforeEach(async () => {
  people = await openPeople(2);
  return () => people.stop();
});

describe("questions on a pipe that several callers share", () => {
  const upstream = "legacy-stdio" as const;

  it("let all calls end, though nobody knows whose they are", async () => {
    // While all three run, the question of the last makes the host let calls of this server run one at a time. What the others ask
    // together later is put to the second, the newest of their principal; its answers must not wait for the first to end.
    await takeTurn(people, { who: 1, upstream, script: scriptFor(newMark(1), 0, 0), after: null });
    const scripts = [
      { who: 1, script: { ...scriptFor(newMark(1), 1, 1), pauseMs: 300 } },
      { who: 1, script: { ...scriptFor(newMark(1), 1, 1), pauseMs: 270 } },
      { who: 0, script: scriptFor(newMark(0), 1, 1) },
    ];
    const begun = [];
    for (const each of scripts) {
      begun.push(takeAll(people, { ...each, upstream, after: null }));
      await sleep(30);
    }
    const ended = Promise.all(begun);
    const said = await Promise.race([ended, sleep(10_000, "still wait", { ref: false })]);
    expect(said).toMatchObject(scripts.map(() => ({ result: { resultType: "complete" } })));
  });

  it("never reach another caller, though they come late and their call waits already", async () => {
    const mark = newMark(0);
    const params = JSON.stringify({ message: mark, requestedSchema: { type: "object" } });
    const late = { afterMs: 200, question: { key: '"late"', method: "elicitation/create", params } };
    const first = { who: 0, upstream, script: { ...scriptFor(mark, 1, 1), late }, after: null };
    const waits = await takeTurn(people, first);
    expect(marksIn(waits.text)).toEqual([mark]);
    // Another's call runs while the late question comes.
    const slow = { ...scriptFor(newMark(1), 0, 0), pauseMs: 400 };
    const other = await takeTurn(people, { who: 1, upstream, script: slow, after: null });
    await takeTurn(people, { ...first, after: waits });
    expect(marksIn(other.text)).toEqual([slow.mark]);
  });

  it("never reach another caller, though their own call was cancelled long ago", async () => {
    const asksLate = { ...scriptFor(newMark(0), 1, 1), pauseMs: 7_000 };
    const leaves = new AbortController();
    const left = takeTurn(people, { who: 0, upstream, script: asksLate, after: null }, leaves.signal);
    await Promise.race([left, sleep(100)]);
    leaves.abort();
    await expect(left).rejects.toThrow(/abort/);
    // Longer than the host waits for the last words of a cancelled call.
    await sleep(6_000);
    const slow = { ...scriptFor(newMark(1), 0, 0), pauseMs: 1_500 };
    const other = await takeTurn(people, { who: 1, upstream, script: slow, after: null });
    expect(marksIn(other.text)).toEqual([slow.mark]);
  });
});
