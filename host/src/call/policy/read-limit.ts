/** The `limit` of a rule. */
import { PER, type RuleLimit, type Source } from "./rule.ts";

export type ReadLimit = { readonly limit: RuleLimit | null } | { readonly fault: string };

const KNOWN = new Set(["per", "calls", "window_s"]);
const MAX_WINDOW_S = 2_147_483;

const isPer = (text: string): text is RuleLimit["per"][number] => (PER as readonly string[]).includes(text);
const isCount = (value: unknown, max: number): value is number =>
  Number.isSafeInteger(value) && (value as number) >= 1 && (value as number) <= max;

/** `per` names what is counted apart; several are joined by `+`: `principal+tool`. */
export const readLimit = (written: unknown, rule: string, source: Source): ReadLimit => {
  if (written === undefined) return { limit: null };
  if (typeof written !== "object" || written === null || Array.isArray(written))
    return { fault: "limit must be an object" };
  const unknown = Object.keys(written).find((key) => !KNOWN.has(key));
  if (unknown !== undefined) return { fault: `limit has no member ${JSON.stringify(unknown.slice(0, 64))}` };
  const { per, calls, window_s: window } = written as Readonly<Record<string, unknown>>;
  const parts = typeof per === "string" ? per.split("+") : [];
  if (parts.length === 0 || !parts.every(isPer)) return { fault: `limit.per must be one of ${PER.join(", ")}` };
  if (!isCount(calls, Number.MAX_SAFE_INTEGER)) return { fault: "limit.calls must be a whole number from 1" };
  if (!isCount(window, MAX_WINDOW_S)) return { fault: "limit.window_s must be a whole number of seconds" };
  return { limit: { name: `${source}:${rule}`, rule, per: parts, calls, windowMs: window * 1_000 } };
};
