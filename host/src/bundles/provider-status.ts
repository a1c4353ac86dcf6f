/** A bundle's lifecycle as callers and people see it. Pure. */
import type { ProviderStatus } from "../kernel/provider.ts";
import type { Refusal } from "../kernel/refusal.ts";
import type { Lifecycle } from "./lifecycle.ts";

export interface StatusFacts {
  readonly name: string;
  readonly life: Lifecycle;
  readonly refusal: Refusal | null;
  readonly version: string | null;
  readonly now: number;
}

/** A start takes about this long; it is only a hint when to look again. */
const START_HINT_MS = 1_000;

export const startCommand = (name: string): string => `bailiwick bundle start ${name}`;

export const providerStatus = (facts: StatusFacts): ProviderStatus => {
  const { life, version } = facts;
  return {
    state: life.state,
    reason: reasonOf(facts),
    next: nextOf(facts),
    since: life.since,
    retryAfterMs: retryAfterOf(facts),
    version,
    restartsInWindow: life.crashes.length,
    lastError: life.lastError,
  };
};

const reasonOf = ({ name, life, refusal }: StatusFacts): string | null => {
  switch (life.state) {
    case "running":
      return null;
    case "starting":
      return life.step === 0 ? `${name} is starting.` : `${name} is starting again after: ${life.reason}`;
    case "crashed":
      return `${name} went down: ${life.reason}`;
    case "dead":
      return `${name} went down too often and is not started again: ${life.reason}`;
    case "stopped":
      return `${name} is stopped: ${life.reason}`;
    case "refused":
      return refusal?.message ?? life.reason;
  }
};

const nextOf = (facts: StatusFacts): string | null => {
  switch (facts.life.state) {
    case "running":
      return null;
    case "starting":
      return "Wait a moment; it joins by itself.";
    case "crashed":
      return `Wait ${Math.ceil((retryAfterOf(facts) ?? 0) / 1000)} s; it is started again by itself.`;
    case "dead":
      return `Correct the cause, then run: ${startCommand(facts.name)}`;
    case "stopped":
      return `Run: ${startCommand(facts.name)}`;
    case "refused":
      return facts.refusal?.next ?? null;
  }
};

const retryAfterOf = ({ life, now }: StatusFacts): number | null => {
  if (life.state === "starting") return START_HINT_MS;
  if (life.state !== "crashed") return null;
  return Math.max(0, life.since + (life.delayMs ?? 0) - now) + START_HINT_MS;
};
