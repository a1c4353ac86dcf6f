/** The table of states, one row each: what leads where, and that nothing else leads anywhere. */
import { describe, expect, test } from "vitest";
import type { ProviderState } from "../kernel/provider.ts";
import { advance, newLifecycle, type Lifecycle, type LifecycleEvent, type LifecycleSettings } from "./lifecycle.ts";

const SETTINGS: LifecycleSettings = {
  maxCrashes: 5,
  windowSeconds: 60,
  delaysMs: [0, 1000, 2000, 4000, 8000],
  resetAfterSeconds: 30,
  reconnection: null,
};
const START: LifecycleEvent = { type: "start" };
const READY: LifecycleEvent = { type: "ready" };
const OVER: LifecycleEvent = { type: "delay-over" };
const STEADY: LifecycleEvent = { type: "steady" };
const STOP: LifecycleEvent = { type: "stop", reason: "somebody stopped it" };
const REFUSE: LifecycleEvent = { type: "refuse", reason: "not today" };
const ended = (reason: string): LifecycleEvent => ({ type: "ended", reason, authRejected: false });
const EXIT = ended("exited with code 1");

const play = (events: readonly LifecycleEvent[], life = newLifecycle(0, "not started")): Lifecycle =>
  events.reduce((now, event) => advance(now, { event, at: now.since + 1000 }, SETTINGS), life);

const FAILED_START = [EXIT, OVER];
const CRASH = [READY, EXIT, OVER];
const times = (count: number, events: readonly LifecycleEvent[]): readonly LifecycleEvent[] =>
  Array.from({ length: count }, () => events).flat();

const REACHED: Record<ProviderState, readonly LifecycleEvent[]> = {
  stopped: [],
  starting: [START],
  running: [START, READY],
  crashed: [START, READY, EXIT],
  dead: [START, ...times(4, CRASH), READY, EXIT],
  refused: [START, REFUSE],
};

interface Row {
  readonly from: ProviderState;
  readonly cause: string;
  readonly events: readonly LifecycleEvent[];
  readonly to: ProviderState;
}

const row = (from: ProviderState, cause: string, events: readonly LifecycleEvent[], to: ProviderState): Row => ({
  from,
  cause,
  events,
  to,
});

const TABLE: readonly Row[] = [
  row("stopped", "a start is asked for", [START], "starting"),
  row("dead", "a start is asked for", [START], "starting"),
  row("refused", "a start is asked for", [START], "starting"),
  row("starting", "handshake and first list are done in time", [READY], "running"),
  ...["spawn ENOENT", "exited with code 1", "the handshake failed", "it was not ready 30 s after its start"].map(
    (cause) => row("starting", cause, [ended(cause)], "crashed"),
  ),
  ...["exited with code 1", "the server closed its output", "it did not answer two liveness probes"].map((cause) =>
    row("running", cause, [ended(cause)], "crashed"),
  ),
  row("running", "thirty seconds without a break", [STEADY], "running"),
  row("crashed", "the delay is over and the gate passes", [OVER], "starting"),
  row("crashed", "the delay is over and the gate refuses", [OVER, REFUSE], "refused"),
  row("starting", "the fifth crash inside a minute", [...times(4, CRASH), READY, EXIT], "dead"),
  row("starting", "the fifth start in a row that never ran", [...times(4, FAILED_START), EXIT], "dead"),
  row("starting", "a stop", [STOP], "stopped"),
  row("running", "a stop", [STOP], "stopped"),
  row("crashed", "a stop", [STOP], "stopped"),
];

describe("the table", () => {
  test.each(TABLE)("$from, $cause: $to", ({ from, events, to }) => {
    const before = play(REACHED[from]);
    expect(before.state).toBe(from);
    expect(play(events, before).state).toBe(to);
  });

  test("every other event changes nothing, except that the gate may refuse from anywhere", () => {
    for (const from of Object.keys(REACHED) as ProviderState[]) {
      const before = play(REACHED[from]);
      for (const event of [START, READY, EXIT, OVER, STEADY, STOP]) {
        const isInTable = TABLE.some(({ from: state, events }) => state === from && events[0]?.type === event.type);
        if (!isInTable) expect(play([event], before), `${from} ${event.type}`).toBe(before);
      }
      expect(play([REFUSE], before)).toMatchObject({ state: "refused", reason: "not today", lastError: "not today" });
    }
  });

  test("a stopped bundle is never dead by itself, only through a start that uses up the budget", () => {
    const stopped = play([START, ...times(3, CRASH), READY, EXIT, STOP]);
    expect(play([EXIT, OVER, EXIT, STEADY], stopped)).toBe(stopped);
    expect(play([START, EXIT], stopped)).toMatchObject({ state: "crashed", step: 1, failedStarts: 1 });
  });
});

describe("what goes with a row", () => {
  test("a start and thirty quiet seconds clear the counters; a mere recovery does not", () => {
    expect(play([START], play(REACHED.dead))).toMatchObject({ crashes: [], step: 0, failedStarts: 0 });
    const recovered = play([OVER, READY], play(REACHED.crashed));
    expect(recovered).toMatchObject({ state: "running", step: 1, failedStarts: 0 });
    expect(recovered.crashes).toHaveLength(1);
    expect(play([STEADY], recovered)).toMatchObject({ crashes: [], step: 0, since: recovered.since });
  });

  test("how it last ended is kept with its time, a stop included, until it ends again", () => {
    expect(play(REACHED.running).lastExit).toBeNull();
    const crashed = play(REACHED.crashed);
    expect(crashed.lastExit).toEqual({ at: crashed.since, reason: "exited with code 1" });
    expect(play([OVER, READY], crashed).lastExit).toBe(crashed.lastExit);
    expect(play([STOP], crashed).lastExit).toBe(crashed.lastExit);
    expect(play([STOP], play(REACHED.running)).lastExit).toEqual({ at: 3000, reason: "somebody stopped it" });
  });
});
