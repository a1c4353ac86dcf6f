/** The tool calls of a stored message, read from whatever stands in their place. */
import type { StoredCall } from "../../kernel/conversation.ts";
import type { Outcome } from "../../kernel/evidence.ts";
import { isObject } from "../../kernel/is-object.ts";
import { REFUSALS, type RefusalKind } from "../../kernel/refusals.ts";

/** Deeper than any tool takes; beyond some thousands JSON.stringify ends with a full stack. */
const MAX_DEPTH = 200;
const NOT_KEPT = `(not kept: nested more than ${MAX_DEPTH} levels deep)`;

const OUTCOMES: Readonly<Record<Outcome, true>> = {
  success: true,
  failure: true,
  denied: true,
  skipped: true,
  indeterminate: true,
};

/** Null: none that can be read. */
export const readCalls = (raw: unknown): readonly StoredCall[] | null => {
  if (!Array.isArray(raw)) return null;
  const calls = raw.filter(isObject).map(readCall);
  return calls.length > 0 ? calls : null;
};

const readCall = (raw: Readonly<Record<string, unknown>>): StoredCall => {
  const { id, name, input = {}, output, ok, ms, outcome, code, dropped, evidenceId } = raw;
  return {
    id: textOr(id, ""),
    name: textOr(name, ""),
    input: isDeeper(input, MAX_DEPTH) ? NOT_KEPT : input,
    output: textOr(output, ""),
    ok: ok === true,
    ms: typeof ms === "number" && Number.isFinite(ms) ? ms : 0,
    outcome: typeof outcome === "string" && Object.hasOwn(OUTCOMES, outcome) ? (outcome as Outcome) : null,
    ...(typeof code === "string" && Object.hasOwn(REFUSALS, code) && { code: code as RefusalKind }),
    ...((dropped === "token_budget" || dropped === "iteration_limit") && { dropped }),
    ...(typeof evidenceId === "string" && { evidenceId }),
  };
};

const textOr = (value: unknown, other: string): string => (typeof value === "string" ? value : other);

const isDeeper = (value: unknown, levels: number): boolean => {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  for (const member of Object.values(value)) if (isDeeper(member, levels - 1)) return true;
  return false;
};
