/**
 * Limits of rules, and what a capability may be called and spend in one correlation. Asked at stage 6, taken at stage 9 in
 * the moment the call begins: only what begins counts.
 */
import type { Admission, Taken } from "../../kernel/admission.ts";
import type { Autonomy } from "../../kernel/capability.ts";
import { principalName } from "../../kernel/principal-name.ts";
import { Refusal } from "../../kernel/refusal.ts";
import type { Equipped } from "../../kernel/stages.ts";
import type { RuleLimit } from "./rule.ts";
import type { WindowCounts } from "./window-counts.ts";

type LimitedCall = Pick<Equipped, "principal" | "target" | "envelope">;

/** A correlation that nobody has used for so long is over. */
const CORRELATION_MS = 30 * 86_400_000;

const KEYS: Readonly<Record<RuleLimit["per"][number], (call: LimitedCall) => string>> = {
  // Whoever stands first: nobody has another count because somebody else does the work.
  principal: ({ principal: { id, onBehalfOf, chain } }) => principalName({ id: chain?.[0]?.id ?? id, onBehalfOf }),
  credential: ({ principal }) => principal.credentialId,
  tool: ({ principal, target }) => `${principal.workspace}/${target.flatName}`,
  provider: ({ principal, target }) => `${principal.workspace}/${target.provider.name}`,
  workspace: ({ principal }) => principal.workspace,
  host: () => "host",
};

/** Rules of a workspace count in that workspace only. */
const keyOf = ({ name, per }: RuleLimit, call: LimitedCall): string => {
  const place = name.startsWith("workspace:") ? `${call.principal.workspace}|` : "";
  return `${name}|${place}${per.map((each) => KEYS[each](call)).join("|")}`;
};

const refuseRate = (limit: RuleLimit, call: LimitedCall, found: { used: number; freeInMs: number }): Refusal => {
  const seconds = Math.ceil(found.freeInMs / 1_000);
  return new Refusal("rate_limited", {
    message: `${call.target.flatName} was called ${found.used} times in ${limit.windowMs / 1_000} s; rule ${JSON.stringify(limit.rule)} allows ${limit.calls} per ${limit.per.join(" and ")}.`,
    next: `Repeat the call in ${seconds} s, or ask the operator to raise the limit of rule ${JSON.stringify(limit.rule)}.`,
    details: { limit: limit.calls, used: found.used, retry_after_s: seconds, matched_rule: limit.rule },
    retryAfterMs: found.freeInMs,
  });
};

/** Null: there is a place. */
export const judgeRate = (counts: WindowCounts, limit: RuleLimit, call: LimitedCall): Refusal | null => {
  const key = keyOf(limit, call);
  const found = counts.used(limit, key, limit.calls);
  if (found.used < limit.calls && counts.hasRoom(limit, key)) return null;
  return refuseRate(limit, call, { ...found, freeInMs: found.freeInMs === 0 ? limit.windowMs : found.freeInMs });
};

export const admitByRate = (counts: WindowCounts, limit: RuleLimit, call: LimitedCall): Admission => ({
  take(): Taken {
    const no = judgeRate(counts, limit, call);
    if (no) throw no;
    return counts.take(limit, keyOf(limit, call));
  },
});

interface Budget {
  readonly kind: "action_limit" | "spend_limit";
  readonly limit: number;
  /** What one call costs. */
  readonly units: number;
}

/** `action_limit` and `spend_limit` are one count: a call costs `spend_units`. */
const budgetsOf = ({ actionLimit, spendLimit, spendUnits }: Autonomy): readonly Budget[] => [
  ...(actionLimit === null ? [] : [{ kind: "action_limit" as const, limit: actionLimit, units: 1 }]),
  ...(spendLimit === null ? [] : [{ kind: "spend_limit" as const, limit: spendLimit, units: Number(spendUnits ?? 1) }]),
];

const windowOf = (capabilityId: string) => ({ name: `autonomy:${capabilityId}`, windowMs: CORRELATION_MS });

/** Null: the correlation may have one more. A correlation that the host is about to make has had none. */
const judgeBudget = (counts: WindowCounts, call: LimitedCall, correlation: string | null): Refusal | null => {
  const { autonomy, id } = call.target.capability;
  if (autonomy === null) return null;
  const window = windowOf(id);
  const key = `${window.name}|${correlation}`;
  const taken = correlation === null ? 0 : counts.used(window, key, Number.MAX_SAFE_INTEGER).used;
  for (const { kind, limit, units } of budgetsOf(autonomy)) {
    if ((taken + 1) * units <= limit * (1 + Number.EPSILON * 8)) continue;
    return new Refusal("budget_exceeded", {
      message: `${call.target.flatName} has used ${taken * units} of its ${kind} of ${limit} in this correlation.`,
      next: `Begin another correlation, or ask the operator to raise autonomy.${kind} of ${id}.`,
      details: { limit, used: taken * units, retry_after_s: null, matched_rule: kind },
    });
  }
  return null;
};

export const judgeBudgets = (counts: WindowCounts, call: LimitedCall): Refusal | null =>
  judgeBudget(counts, call, call.envelope?.correlationId ?? null);

/** Null: nothing of it is bounded. */
export const admitByBudget = (counts: WindowCounts, call: LimitedCall): Admission | null => {
  const { autonomy, id } = call.target.capability;
  if (autonomy === null || budgetsOf(autonomy).length === 0) return null;
  return {
    take({ correlation }): Taken {
      const no = judgeBudget(counts, call, correlation.id);
      if (no) throw no;
      const window = windowOf(id);
      return counts.take(window, `${window.name}|${correlation.id}`);
    },
  };
};
