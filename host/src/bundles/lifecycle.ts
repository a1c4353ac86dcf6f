/**
 * What state a bundle is in and what follows, as a pure function. Timers, processes and connections belong to the supervisor.
 * An event that means nothing in a state leaves it as it is.
 */
import type { ProviderState } from "../kernel/provider.ts";

interface RestartSettings {
  readonly maxCrashes: number;
  readonly windowSeconds: number;
  readonly delaysMs: readonly number[];
  readonly resetAfterSeconds: number;
}

/** A server elsewhere: its outage is no crash of ours, so it is tried again for as long as `maxRetries` allows. */
interface ReconnectionSettings {
  readonly initialReconnectionDelay: number;
  readonly maxReconnectionDelay: number;
  readonly maxRetries: number | null;
}

export interface LifecycleSettings extends RestartSettings {
  /** Null for a process. */
  readonly reconnection: ReconnectionSettings | null;
}

export type LifecycleEvent =
  | { readonly type: "start" }
  | { readonly type: "ready" }
  | { readonly type: "ended"; readonly reason: string; readonly authRejected: boolean }
  | { readonly type: "delay-over" }
  /** Running for `resetAfterSeconds` without a break. */
  | { readonly type: "steady" }
  | { readonly type: "stop"; readonly reason: string }
  | { readonly type: "refuse"; readonly reason: string };

export interface Lifecycle {
  readonly state: ProviderState;
  readonly since: number;
  readonly reason: string | null;
  /** When the crashes still inside the window were. */
  readonly crashes: readonly number[];
  /** Crashes since the counters were cleared: which delay comes next. */
  readonly step: number;
  /** Starts in a row that never reached `running`. */
  readonly failedStarts: number;
  /** In `crashed`: how long until the next start. */
  readonly delayMs: number | null;
  /** Why it last went down; kept when it is up again. */
  readonly lastError: string | null;
  /** How its process or connection last ended, a stop among the ways. */
  readonly lastExit: { readonly at: number; readonly reason: string } | null;
}

export const newLifecycle = (at: number, reason: string): Lifecycle => ({
  state: "stopped",
  since: at,
  reason,
  crashes: [],
  step: 0,
  failedStarts: 0,
  delayMs: null,
  lastError: null,
  lastExit: null,
});

export interface Moment {
  readonly event: LifecycleEvent;
  readonly at: number;
}

export const advance = (life: Lifecycle, { event, at }: Moment, settings: LifecycleSettings): Lifecycle => {
  const enter = (state: ProviderState, reason: string | null): Lifecycle => ({
    ...life,
    state,
    since: at,
    reason,
    delayMs: null,
  });
  const { state } = life;
  switch (event.type) {
    case "start":
      if (state === "starting" || state === "running" || state === "crashed") return life;
      return { ...enter("starting", null), crashes: [], step: 0, failedStarts: 0 };
    case "ready":
      return state === "starting" ? { ...enter("running", null), failedStarts: 0 } : life;
    case "delay-over":
      return state === "crashed" ? enter("starting", life.reason) : life;
    case "steady":
      return state === "running" ? { ...life, crashes: [], step: 0 } : life;
    case "stop":
      if (state !== "starting" && state !== "running" && state !== "crashed") return life;
      return {
        ...enter("stopped", event.reason),
        // Where it crashed nothing is left that could end now.
        lastExit: state === "crashed" ? life.lastExit : { at, reason: event.reason },
      };
    case "refuse":
      return { ...enter("refused", event.reason), lastError: event.reason };
    default:
      return state === "starting" || state === "running" ? crash(life, { event, at }, settings) : life;
  }
};

const crash = (
  life: Lifecycle,
  { event, at }: { readonly event: LifecycleEvent & { readonly type: "ended" }; readonly at: number },
  settings: LifecycleSettings,
): Lifecycle => {
  const after = {
    ...life,
    since: at,
    crashes: [...life.crashes.filter((time) => time > at - settings.windowSeconds * 1000), at],
    step: life.step + 1,
    failedStarts: life.state === "starting" ? life.failedStarts + 1 : 0,
  };
  const dead =
    settings.reconnection === null ? isSpent(after, settings) : isGivenUp(after, event, settings.reconnection);
  const reason = describe(event, settings);
  return {
    ...after,
    state: dead ? "dead" : "crashed",
    reason,
    lastError: reason,
    lastExit: { at, reason },
    delayMs: dead ? null : delayOf(after.step, settings),
  };
};

const isSpent = (life: Lifecycle, settings: RestartSettings): boolean =>
  life.crashes.length >= settings.maxCrashes || life.failedStarts >= settings.maxCrashes;

const isGivenUp = (
  life: Lifecycle,
  event: { readonly authRejected: boolean },
  { maxRetries }: ReconnectionSettings,
): boolean => event.authRejected || (maxRetries !== null && life.step > maxRetries);

const describe = (
  event: { readonly reason: string; readonly authRejected: boolean },
  settings: LifecycleSettings,
): string => {
  if (settings.reconnection === null) return event.reason;
  const word = event.authRejected ? "auth_rejected" : "unreachable";
  return event.reason.startsWith(word) ? event.reason : `${word}: ${event.reason}`;
};

/** The table's delays assume an initial delay of one second; another one stretches them. */
const TABLE_INITIAL_MS = 1_000;

const delayOf = (step: number, { delaysMs, reconnection }: LifecycleSettings): number => {
  const last = delaysMs.at(-1) ?? 0;
  if (reconnection === null) return delaysMs[step - 1] ?? last;
  const planned = delaysMs[step - 1];
  if (planned === undefined) return reconnection.maxReconnectionDelay;
  return Math.min(
    planned * (reconnection.initialReconnectionDelay / TABLE_INITIAL_MS),
    reconnection.maxReconnectionDelay,
  );
};
