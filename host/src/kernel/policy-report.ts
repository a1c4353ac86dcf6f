/** The policy that is in force in a workspace, for those who may read it. */
export interface ReportedRule {
  readonly id: string;
  readonly effect: string;
  /** Where it stands: `shipped`, `host`, `workspace`. */
  readonly source: string;
  /** As it is written there. */
  readonly rule: Readonly<Record<string, unknown>>;
}

export interface PolicyDiagnostic {
  /** An error denies something that was meant to be allowed, or would be ignored if it could be. */
  readonly severity: "error" | "warning";
  /** What it is about: `policy.rules[2]`, `policy.capabilities.p__t`. */
  readonly where: string;
  readonly message: string;
}

export interface PolicyReport {
  readonly mode: "enforce" | "audit";
  /** Stands as `policy_version` in every denial. */
  readonly digest: string;
  readonly rules: readonly ReportedRule[];
  readonly diagnostics: readonly PolicyDiagnostic[];
}
