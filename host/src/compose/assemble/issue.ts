/** What `validate_content` finds. */
export type Severity = "error" | "warning" | "info";

export interface Issue {
  readonly severity: Severity;
  readonly code: string;
  readonly message: string;
  /** `content`, a JSON pointer into the config, or `validation_rules[n]`. */
  readonly location: string;
  readonly details: Readonly<Record<string, unknown>>;
}

export interface Issues {
  /** No errors. */
  readonly valid: boolean;
  readonly issues: readonly Issue[];
  readonly error_count: number;
  readonly warning_count: number;
  readonly info_count: number;
}

export const countIssues = (issues: readonly Issue[]): Issues => {
  const count = (severity: Severity): number => issues.filter((issue) => issue.severity === severity).length;
  return {
    valid: count("error") === 0,
    issues,
    error_count: count("error"),
    warning_count: count("warning"),
    info_count: count("info"),
  };
};
