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
  if (availability.status === "unavailable") throw missing(type, availability.reason, availability.missing);
  const { p95 = DEFAULT_P95_MS } = upstream.expected_latency_ms;
  return { timeoutMs: Math.min(2 * p95, MAX_TIMEOUT_MS), lane: upstream.concurrency_safe ? null : type };
};

const missing = (generator: string, message: string, names: readonly string[]): ComposeError =>
  new ComposeError("missing_credential", message, {
    generator,
    credentials: names,
    next: `Set ${names.join(" and ")} in the environment of the host, start it again, and make the same call.`,
  });
