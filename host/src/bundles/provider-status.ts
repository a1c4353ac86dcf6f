/** A bundle's lifecycle as callers and people see it. Pure. */
import type { ProviderState, ProviderStatus } from "../kernel/provider.ts";
import type { Refusal } from "../kernel/refusal.ts";
import type { Lifecycle } from "./lifecycle.ts";
import type { LocateProgress } from "./located.ts";

export interface StatusFacts {
  readonly name: string;
  readonly life: Lifecycle;
  readonly refusal: Refusal | null;
  readonly version: string | null;
  /** How far it is with what its start needs; null: nothing is being fetched. */
  readonly fetching: LocateProgress | null;
  readonly now: number;
}

/** A start takes about this long; it is only a hint when to look again. */
const START_HINT_MS = 1_000;

const startCommand = (name: string): string => `bailiwick bundle start ${name}`;

export const providerStatus = (facts: StatusFacts): ProviderStatus => {
  const { life, version } = facts;
  return {
    state: life.state,
    reason: REASONS[life.state](facts),
    next: NEXT[life.state](facts),
    since: life.since,
    retryAfterMs: retryAfterOf(facts),
    version,
    restartsInWindow: life.crashes.length,
    lastError: life.lastError,
    ...linkOf(facts),
  };
};

const linkOf = ({ life, refusal }: StatusFacts): { readonly link?: string } => {
  const link = life.state === "refused" ? refusal?.details["link"] : undefined;
  return typeof link === "string" ? { link } : {};
};

const writeProgress = ({ message, bytes, total }: LocateProgress): string =>
  bytes === undefined || !total ? message : `${message}, ${Math.min(100, Math.floor((bytes / total) * 100))} %`;

const REASONS: Record<ProviderState, (facts: StatusFacts) => string | null> = {
  running: () => null,
  starting: ({ name, life, fetching }) => {
    if (fetching !== null) return `${name} is fetching its package: ${writeProgress(fetching)}.`;
    return life.step === 0 ? `${name} is starting.` : `${name} is starting again after: ${life.reason}`;
  },
  crashed: ({ name, life }) => `${name} went down: ${life.reason}`,
  dead: ({ name, life }) => `${name} went down and is not started again: ${life.reason}`,
  stopped: ({ name, life }) => `${name} is stopped: ${life.reason}`,
  refused: ({ life, refusal }) => refusal?.message ?? life.reason,
};

const NEXT: Record<ProviderState, (facts: StatusFacts) => string | null> = {
  running: () => null,
  starting: ({ fetching }) => (fetching === null ? "Wait a moment; it joins by itself." : "Wait; it starts by itself."),
  crashed: (facts) => `Wait ${Math.ceil((retryAfterOf(facts) ?? 0) / 1000)} s; it is started again by itself.`,
  dead: ({ name }) => `Correct the cause, then run: ${startCommand(name)}`,
  stopped: ({ name }) => `Run: ${startCommand(name)}`,
  refused: ({ refusal }) => refusal?.next ?? null,
};

const retryAfterOf = ({ life, now }: StatusFacts): number | null => {
  if (life.state === "starting") return START_HINT_MS;
  if (life.state !== "crashed") return null;
  return Math.max(0, life.since + (life.delayMs ?? 0) - now) + START_HINT_MS;
};
