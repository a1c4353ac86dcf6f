import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { advance, newLifecycle, type Lifecycle, type LifecycleEvent, type LifecycleSettings } from "./lifecycle.ts";

const PROCESS: LifecycleSettings = {
  maxCrashes: 5,
  windowSeconds: 60,
  delaysMs: [0, 1000, 2000, 4000, 8000],
  resetAfterSeconds: 30,
  reconnection: null,
};
const REMOTE: LifecycleSettings = {
  ...PROCESS,
  reconnection: { initialReconnectionDelay: 1000, maxReconnectionDelay: 30_000, maxRetries: null },
};
const START: LifecycleEvent = { type: "start" };
const READY: LifecycleEvent = { type: "ready" };
const ENDED: LifecycleEvent = { type: "ended", reason: "exited with code 1", authRejected: false };
const OVER: LifecycleEvent = { type: "delay-over" };
const STEADY: LifecycleEvent = { type: "steady" };
const STOP: LifecycleEvent = { type: "stop", reason: "somebody stopped it" };
const REFUSE: LifecycleEvent = { type: "refuse", reason: "not today" };

/** Plays events a second apart, or at the given times. */
const play = (events: readonly (LifecycleEvent | [LifecycleEvent, number])[], settings = PROCESS): Lifecycle => {
  let at = 0;
  let life = newLifecycle(0, "not started");
  for (const each of events) {
    const [event, time] = Array.isArray(each) ? each : [each, at + 1000];
    at = time;
    life = advance(life, { event, at }, settings);
  }
  return life;
};

describe("a process", () => {
  test("waits 0, 1, 2, 4 s before the next starts, and 8 s from then on", () => {
    const settings = { ...PROCESS, maxCrashes: 100 };
    const delays: (number | null)[] = [];
    let life = play([START]);
    for (let crash = 0; crash < 7; crash++) {
      life = advance(life, { event: ENDED, at: 10_000 }, settings);
      delays.push(life.delayMs);
      life = advance(life, { event: OVER, at: 10_000 }, settings);
    }
    expect(delays).toEqual([0, 1000, 2000, 4000, 8000, 8000, 8000]);
  });

  test("is dead at the fifth crash inside a minute", () => {
    const once: LifecycleEvent[] = [READY, ENDED, OVER];
    expect(play([START, ...once, ...once, ...once, ...once]).state).toBe("starting");
    expect(play([START, ...once, ...once, ...once, ...once, READY, ENDED])).toMatchObject({
      state: "dead",
      delayMs: null,
    });
  });

  test("is not dead when the fifth crash is outside the minute", () => {
    const at = (second: number): [LifecycleEvent, number][] => [
      [READY, second * 1000],
      [ENDED, second * 1000 + 1],
      [OVER, second * 1000 + 2],
    ];
    const life = play([START, ...at(1), ...at(20), ...at(40), ...at(50), ...at(62)]);
    expect(life).toMatchObject({ state: "starting", step: 5 });
    expect(life.crashes).toHaveLength(4);
  });

  test("is dead at the fifth start in a row that never ran, however long each took", () => {
    const slow = (n: number): [LifecycleEvent, number][] => [
      [ENDED, n * 100_000],
      [OVER, n * 100_000 + 1],
    ];
    expect(play([START, ...slow(1), ...slow(2), ...slow(3), ...slow(4)]).state).toBe("starting");
    expect(play([START, ...slow(1), ...slow(2), ...slow(3), ...slow(4), ...slow(5)]).state).toBe("dead");
  });

  test("has a clean slate after thirty steady seconds and after a person's start", () => {
    expect(play([START, READY, ENDED, OVER, READY, STEADY])).toMatchObject({ step: 0, crashes: [], state: "running" });
    const dead = [START, ENDED, OVER, ENDED, OVER, ENDED, OVER, ENDED, OVER, ENDED];
    expect(play(dead).state).toBe("dead");
    expect(play([...dead, START])).toMatchObject({ state: "starting", step: 0, crashes: [], failedStarts: 0 });
  });
});

describe("a server elsewhere", () => {
  const outage = (count: number, settings = REMOTE): Lifecycle =>
    play(
      [
        START,
        ...Array.from({ length: count }, () => [ENDED, OVER])
          .flat()
          .slice(0, -1),
      ],
      settings,
    );

  test("is tried for ever, every maxReconnectionDelay in the end, and stays crashed as unreachable", () => {
    const delays = [1, 2, 3, 4, 5, 6, 50].map((count) => outage(count).delayMs);
    expect(delays).toEqual([0, 1000, 2000, 4000, 8000, 30_000, 30_000]);
    expect(outage(50)).toMatchObject({ state: "crashed", reason: "unreachable: exited with code 1" });
  });

  test("is dead after maxRetries", () => {
    const settings = {
      ...REMOTE,
      reconnection: { initialReconnectionDelay: 500, maxReconnectionDelay: 900, maxRetries: 2 },
    };
    expect([1, 2].map((count) => outage(count, settings).delayMs)).toEqual([0, 500]);
    expect(outage(2, settings).state).toBe("crashed");
    expect(outage(3, settings).state).toBe("dead");
  });

  test("is dead at once when it rejects the credential", () => {
    const rejected: LifecycleEvent = { type: "ended", reason: "401", authRejected: true };
    expect(play([START, rejected], REMOTE)).toMatchObject({ state: "dead", reason: "auth_rejected: 401" });
  });
});

test("whatever happens, only a crashed bundle waits, and memory of crashes stays bounded", () => {
  const event = fc.constantFrom(START, READY, ENDED, OVER, STEADY, STOP, REFUSE);
  fc.assert(
    fc.property(fc.array(event, { maxLength: 200 }), fc.constantFrom(PROCESS, REMOTE), (events, settings) => {
      const life = play(events, settings);
      expect(life.delayMs !== null).toBe(life.state === "crashed");
      expect(life.crashes.length).toBeLessThanOrEqual(61);
      expect(settings === REMOTE && life.state === "dead").toBe(false);
    }),
  );
});
