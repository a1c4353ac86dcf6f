/** What would happen to a call, gate by gate, with nothing done. */
export type CheckStatus = "pass" | "fail" | "warn" | "not_evaluated";

export interface ExplainedCheck {
  readonly stage: number;
  readonly name: string;
  readonly check: string;
  readonly status: CheckStatus;
  readonly why: string;
  readonly next?: string;
}

export interface Explanation {
  readonly tool: string | null;
  readonly capability_id: string | null;
  /** As URI. */
  readonly principal: string;
  readonly verdict: "run" | "wait" | "refuse";
  readonly decided_by: { readonly stage: number; readonly name: string; readonly rule: string } | null;
  readonly digest: string | null;
  readonly surface: string | null;
  readonly policy_version: string;
  readonly stages: readonly ExplainedCheck[];
  readonly next: { readonly fixer: string; readonly do: string } | null;
}
