/** What is checked before a generator that depends on others is called, and how it may run then. Pure. */
import { ComposeError } from "../compose-error.ts";
import type { GeneratorEntry } from "../generators/generator-entry.ts";
import { availabilityOf, type Credentials } from "./availability-of.ts";

export interface Cleared {
  /** Null: the tool's own. */
  readonly timeoutMs: number | null;
  /** Those of one lane run one at a time, in order; null: it may overlap with anything. */
  readonly lane: string | null;
}

const DEFAULT_P95_MS = 5_000;
/** Nothing runs longer, whatever a generator expects of itself. */
const MAX_TIMEOUT_MS = 300_000;

/** Throws ComposeError `missing_credential`. */
export const preflight = (
  generator: Pick<GeneratorEntry, "type" | "upstream_dependencies">,
  credentials: Credentials,
): Cleared => {
  const { type, upstream_dependencies: upstream } = generator;
  if (upstream === null) return { timeoutMs: null, lane: null };
  const availability = availabilityOf(generator, credentials);
  if (availability.status === "unavailable") {
    const { reason, missing } = availability;
    throw new ComposeError("missing_credential", reason, {
      generator: type,
      credentials: missing,
      next: nextOf(missing, credentials),
    });
  }
  const { p95 = DEFAULT_P95_MS } = upstream.expected_latency_ms;
  return { timeoutMs: Math.min(2 * p95, MAX_TIMEOUT_MS), lane: upstream.concurrency_safe ? null : type };
};

const nextOf = (names: readonly string[], credentials: Credentials): string => {
  const [keys, variables] = [names.filter(isKey), names.filter((name) => !isKey(name))];
  const unset = variables.filter((name) => credentials.lacks?.(name).value ?? true);
  const ungranted = variables.filter((name) => credentials.lacks?.(name).grant ?? false);
  const steps = [
    ...(keys.length === 0 ? [] : [`set ${keys.join(" and ")} in bailiwick.json`]),
    ...(ungranted.length === 0 ? [] : [`add ${ungranted.join(" and ")} to capabilities.env.compose in bailiwick.json`]),
    ...(unset.length === 0
      ? ["reload: bailiwick reload"]
      : [`set ${unset.join(" and ")} in the environment of the host and start it again`]),
  ].join(", ");
  return `${steps[0]!.toUpperCase()}${steps.slice(1)}; then make the same call.`;
};

/** A key of the file, which is no variable. */
const isKey = (name: string): boolean => name.endsWith(".apiKey");
