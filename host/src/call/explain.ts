/**
 * What would happen to a call, gate by gate. The stages' own pure functions are asked in their order, and on after a "no"
 * where the next does not need what was refused; nothing is created, counted, recorded or sent.
 */
import type { RawCall } from "../kernel/call.ts";
import type { Check } from "../kernel/check.ts";
import type { CheckStatus, ExplainedCheck, Explanation } from "../kernel/explanation.ts";
import { jcs } from "../kernel/jcs.ts";
import type { Principal } from "../kernel/principal.ts";
import { Refusal } from "../kernel/refusal.ts";
import {
  advance,
  type Equipped,
  type Identified,
  type Live,
  type Permitted,
  type Surfaced,
  type Valid,
} from "../kernel/stages.ts";
import { principalUri } from "../kernel/subject.ts";
import { lifecycleOf } from "./lifecycle/lifecycle-of.ts";
import { LIFECYCLE_CHECKS } from "./lifecycle/lifecycle.ts";
import type { PolicyExplanation } from "./policy/explain-policy.ts";
import type { SurfaceExplanation } from "./surface/explain-surface.ts";

export interface ExplainedApproval {
  readonly check: ExplainedCheck;
  /** Of the exact call; null: no approval is demanded. */
  readonly digest: string | null;
  readonly verdict: Explanation["verdict"];
}

export interface ExplainParts {
  readonly surface: (call: Identified) => SurfaceExplanation;
  readonly environment: (call: Live) => Equipped;
  /** Whether or not the host declares them. */
  readonly required: (call: Live) => readonly string[];
  readonly policy: (call: Equipped) => PolicyExplanation;
  readonly inputChecks: readonly Check<Permitted>[];
  readonly rootsFor: (call: Permitted) => Valid["roots"];
  readonly approval: (call: Valid) => ExplainedApproval;
  readonly policyVersion: (workspace: string) => string;
}

const NAMES: Readonly<Record<number, string>> = {
  3: "surface",
  4: "lifecycle",
  5: "environment",
  6: "policy",
  7: "input",
  8: "approval",
};

/** Asks as this principal, whoever it is that asks. */
export type Explain = (raw: RawCall, principal: Principal) => Explanation;

export const createExplain =
  (parts: ExplainParts): Explain =>
  (raw, principal) => {
    const report = new Report();
    const call: Identified = { ...raw, principal };
    const found = parts.surface(call);
    for (const { check, refusal, why, evaluated } of found.findings)
      if (evaluated) report.judged(3, check, { refusal, why });
      else report.skipped(3, check, why);
    const target = found.surfaced?.target ?? null;
    const digest = found.surfaced === null ? report.stop() : explainTarget(found.surfaced, parts, report);
    return {
      tool: target?.flatName ?? null,
      capability_id: target?.capability.id ?? null,
      principal: principalUri(principal.id),
      ...report.conclusion(),
      digest,
      surface: found.surface,
      policy_version: parts.policyVersion(principal.workspace),
      stages: report.checks,
    };
  };

/** Stages 4 to 8; returns the digest. */
const explainTarget = (call: Surfaced, parts: ExplainParts, report: Report): string | null => {
  for (const check of LIFECYCLE_CHECKS) report.ask(4, check, call);
  const { provider, tool, capability } = call.target;
  const live = advance(call, { lifecycle: lifecycleOf(provider, tool, capability) });
  report.judged(5, "required_capabilities", { refusal: refusalOf(() => parts.environment(live)), why: "all declared" });
  const equipped = advance(live, { required: parts.required(live) });
  const { findings, verdict, rule } = parts.policy(equipped);
  for (const { check, refusal, why, suspended } of findings)
    report.judged(6, check, { refusal, why, suspended, rule: check === "rules" ? rule : check });
  const permitted = advance(equipped, { verdict });
  for (const check of parts.inputChecks) report.ask(7, check, permitted);
  const found = { canonicalArgs: jcs(call.args), guardrails: [], roots: parts.rootsFor(permitted), resolvedArgs: null };
  const approval = parts.approval(advance(permitted, found));
  report.approved(approval);
  return approval.digest;
};

const refusalOf = (ask: () => unknown): Refusal | null => {
  try {
    ask();
    return null;
  } catch (no) {
    if (no instanceof Refusal) return no;
    throw no;
  }
};

interface Judged {
  readonly refusal: Refusal | null;
  readonly why: string;
  readonly suspended?: boolean;
  readonly rule?: string;
}

/** The checks so far, and the first that ends the call. */
class Report {
  readonly checks: ExplainedCheck[] = [];
  decidedBy: Explanation["decided_by"] = null;
  #verdict: Explanation["verdict"] = "run";
  #next: Explanation["next"] = null;

  judged(stage: number, check: string, { refusal, why, suspended = false, rule = check }: Judged): void {
    const status: CheckStatus = refusal === null ? "pass" : suspended ? "warn" : "fail";
    const next = refusal === null ? {} : { next: refusal.next };
    this.checks.push({ stage, name: NAMES[stage] ?? "", check, status, why: refusal?.message ?? why, ...next });
    if (status !== "fail" || refusal === null || this.decidedBy !== null) return;
    this.decidedBy = { stage, name: NAMES[stage] ?? "", rule: matchedRule(refusal) ?? rule };
    this.#verdict = "refuse";
    this.#next = { fixer: refusal.row.fixer, do: refusal.next };
  }

  ask<Call>(stage: number, { name, judge, why }: Check<Call>, call: Call): void {
    const refusal = judge(call);
    this.judged(stage, name, { refusal, why: refusal?.message ?? why(call) });
  }

  skipped(stage: number, check: string, why: string): void {
    this.checks.push({ stage, name: NAMES[stage] ?? "", check, status: "not_evaluated", why });
  }

  /** Nothing more can be asked without a tool. */
  stop(): null {
    for (const stage of [4, 5, 6, 7, 8])
      this.skipped(stage, NAMES[stage] ?? "", "depends on surface: there is no tool");
    return null;
  }

  approved({ check, verdict }: ExplainedApproval): void {
    this.checks.push(check);
    if (verdict === "run" || this.decidedBy !== null) return;
    this.#verdict = verdict;
    this.decidedBy = { stage: 8, name: "approval", rule: check.check };
    this.#next = { fixer: "approver", do: check.next ?? check.why };
  }

  conclusion(): Pick<Explanation, "verdict" | "decided_by" | "next"> {
    return { verdict: this.#verdict, decided_by: this.decidedBy, next: this.#next };
  }
}

const matchedRule = ({ details }: Refusal): string | null => {
  const rule = details["matched_rule"] ?? details["invariant_id"] ?? details["guardrail"];
  return typeof rule === "string" ? rule : null;
};
