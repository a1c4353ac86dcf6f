/** How many calls may wait for answers, what they take from others, and what they leave behind. */
import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, describe, expect, it } from "vitest";
import type { Upstream } from "./fidelity-cells-for-tests.ts";
import {
  newMark,
  openPeople,
  scriptFor,
  takeAll,
  takeTurn,
  type People,
  type Said,
  type Turn,
} from "./interleaving-for-tests.ts";
import { createHeapProbe, type HeapProbe } from "./heap-probe-for-tests.ts";

const HELD = 64;
const CYCLES = 1_000;
/** Little more than a kilobyte a call: one timer that outlasts each answer would be more. */
const MAX_GROWTH = 1_200_000;

let people: People;
let heap: HeapProbe;

beforeAll(async () => {
  heap = createHeapProbe();
  people = await heap.around(() => openPeople(3));
  return async () => {
    await people.stop();
    heap.remove();
  };
});

interface Begun {
  readonly turn: Turn;
  readonly said: Said;
}

const begin = async (who: number, upstream: Upstream): Promise<Begun> => {
  const turn = { who, upstream, script: scriptFor(newMark(who), 1, 1), after: null };
  return { turn, said: await takeTurn(people, turn) };
};

const end = ({ turn, said }: Begun): Promise<Said> => takeTurn(people, { ...turn, after: said });

const isWaiting = ({ said }: Begun): boolean => said.result?.resultType === "input_required";

describe("calls that wait for answers", () => {
  it(`are ${HELD} of a principal; the next goes on without an answer, another's waits`, async () => {
    const begun = [];
    for (let nth = 0; nth < HELD + 1; nth++) begun.push(await begin(0, "legacy-stdio"));
    begun.push(await begin(1, "legacy-http"));
    const waiting = begun.filter(isWaiting);
    const ended = await Promise.all(waiting.map(end));
    expect(begun.map(isWaiting)).toEqual([...Array.from({ length: HELD }, () => true), false, true]);
    expect(begun[HELD]?.said.result).toMatchObject({ resultType: "complete" });
    expect(ended).toMatchObject(waiting.map(({ turn }) => ({ result: { mark: turn.script.mark } })));
  });

  it("take no place that another caller needs", { timeout: 60_000 }, async () => {
    const begun = Array.from({ length: HELD }, () => begin(0, "legacy-http"));
    await Promise.race([Promise.all(begun), sleep(5_000)]);
    const script = scriptFor(newMark(1), 0, 0);
    const other = takeTurn(people, { who: 1, upstream: "legacy-http", script, after: null });
    const said = await Promise.race([other, sleep(5_000, "still waits")]);
    await Promise.all(begun.map(async (each) => end(await each)));
    expect(said).toMatchObject({ result: { resultType: "complete" } });
    expect((await Promise.all(begun)).every(isWaiting)).toBe(true);
  });

  it("leave nothing behind in the host", { timeout: 120_000 }, async () => {
    const cycle = async (nth: number): Promise<void> => {
      const upstream = nth % 2 === 0 ? "legacy-http" : "modern-stdio";
      const who = nth % 3;
      const turn = { who, upstream, script: scriptFor(newMark(who), 2, 2) } as const;
      const stolen = await takeTurn(people, { ...turn, after: null });
      const { error } = await takeTurn(people, { ...turn, who: (who + 1) % 3, after: stolen });
      expect(error?.code).toBe(-32602);
      expect((await takeAll(people, { ...turn, after: stolen })).result?.resultType).toBe("complete");
    };
    const cycles = async (count: number): Promise<void> => {
      for (let done = 0; done < count; done += 20) {
        await Promise.all(Array.from({ length: 20 }, (_each, nth) => cycle(done + nth)));
      }
    };
    await cycles(CYCLES / 2);
    const before = await heap.measure(people.host.pid);
    await cycles(CYCLES);
    expect((await heap.measure(people.host.pid)) - before).toBeLessThan(MAX_GROWTH);
  });
});
