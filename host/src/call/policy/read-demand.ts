/** The `approval` of a rule or an overlay as a demand. */
import { DEFAULT_TTL_S } from "../../kernel/add-demands.ts";
import type { ApprovalDemand } from "../../kernel/capability.ts";
import { plainId } from "../../kernel/is-allowed-actor.ts";

export interface WrittenDemand {
  readonly rule?: string | undefined;
  readonly approvers?: readonly string[] | undefined;
  readonly count?: number | undefined;
  readonly four_eyes?: boolean | undefined;
  readonly ttl_s?: number | undefined;
}

export type ReadDemand = { readonly demand: ApprovalDemand } | { readonly fault: string };

const KNOWN = new Set(["rule", "approvers", "count", "four_eyes", "ttl_s"]);
const APPROVER = /^(?:role|person|key):./;
const MAX_COUNT = 100;

const faultOf = (written: unknown): string | null => {
  if (written === undefined) return null;
  if (typeof written !== "object" || written === null || Array.isArray(written)) return "approval must be an object";
  const { rule, approvers, count, four_eyes: fourEyes, ttl_s: ttl } = written as Readonly<Record<string, unknown>>;
  const unknown = Object.keys(written).find((key) => !KNOWN.has(key));
  if (unknown !== undefined) return `approval has no member ${JSON.stringify(unknown.slice(0, 64))}`;
  if (rule !== undefined && (typeof rule !== "string" || rule.trim() === "")) return "approval.rule must be a name";
  const named =
    approvers === undefined || (Array.isArray(approvers) && approvers.length > 0 && approvers.every(isApprover));
  if (!named) return "approval.approvers must name role:..., person:... or key:...";
  const whole = (value: unknown, max: number): boolean =>
    value === undefined || (Number.isSafeInteger(value) && (value as number) >= 1 && (value as number) <= max);
  if (!whole(count, MAX_COUNT)) return `approval.count must be a whole number from 1 to ${MAX_COUNT}`;
  if (fourEyes !== undefined && typeof fourEyes !== "boolean") return "approval.four_eyes must be true or false";
  return whole(ttl, 2_147_483) ? null : "approval.ttl_s must be a whole number of seconds";
};

const isApprover = (text: unknown): boolean => typeof text === "string" && APPROVER.test(text);

/** `rule`: what it is called where it has no name of its own. */
export const readDemand = (written: unknown, rule: string): ReadDemand => {
  const fault = faultOf(written);
  if (fault !== null) return { fault };
  const { rule: named, approvers, count, four_eyes: fourEyes, ttl_s: ttlS } = (written ?? {}) as WrittenDemand;
  return {
    demand: {
      rule: named ?? rule,
      approvers: approvers === undefined ? null : [approvers.map(plainId)],
      count: count ?? 1,
      fourEyes: fourEyes ?? false,
      ttlS: ttlS ?? DEFAULT_TTL_S,
    },
  };
};
