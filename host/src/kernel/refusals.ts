/**
 * The closed table of every expected "no". A kind that is not here does not exist: nothing else may be sent outward.
 * `mcp`: `tool` is a tool result with isError, a number is that JSON-RPC error. `chp`: the code in evidence.
 */
import type { Outcome } from "./evidence.ts";

export interface RefusalRow {
  readonly chp: string;
  readonly outcome: Outcome;
  readonly mcp: "tool" | number;
  readonly rest: number;
  readonly retryable: boolean;
  readonly fixer: "caller" | "operator" | "person" | "approver" | "principal" | "provider" | "author" | "time";
}

const row = (
  chp: string,
  outcome: Outcome,
  mcp: "tool" | number,
  rest: number,
  retryable: boolean,
  fixer: RefusalRow["fixer"],
): RefusalRow => ({ chp, outcome, mcp, rest, retryable, fixer });

/** Over CHP these never become a denial: they are answered before or beside the call path. */
const outside = (rest: number, fixer: RefusalRow["fixer"], retryable = false, mcp = -32600): RefusalRow =>
  row("", "denied", mcp, rest, retryable, fixer);

export const REFUSALS = {
  unauthenticated: row("unauthorized", "denied", -32600, 401, false, "caller"),
  protocol_version: row("version_unsupported", "denied", -32022, 400, false, "caller"),
  unknown_tool: row("capability_not_found", "denied", "tool", 404, false, "caller"),
  version_mismatch: row("capability_version_unsupported", "denied", "tool", 404, false, "caller"),
  not_visible: row("policy_blocked", "denied", "tool", 403, false, "operator"),
  outside_skill: row("policy_blocked", "denied", "tool", 403, false, "person"),
  outside_request: row("policy_blocked", "denied", "tool", 403, false, "person"),
  outside_delegate: row("policy_blocked", "denied", "tool", 403, false, "person"),
  outside_app: row("policy_blocked", "denied", "tool", 403, false, "person"),
  stale_surface: row("dev.bailiwick.stale_surface", "denied", "tool", 409, true, "caller"),
  disabled: row("capability_disabled", "skipped", "tool", 409, false, "operator"),
  unavailable: row("capability_disabled", "skipped", "tool", 409, true, "operator"),
  suspended: row("capability_disabled", "skipped", "tool", 409, true, "operator"),
  definition_changed: row("capability_disabled", "skipped", "tool", 409, true, "operator"),
  definition_new: row("capability_disabled", "skipped", "tool", 409, true, "operator"),
  unsupported_mode: row("unsupported_mode", "denied", "tool", 400, false, "caller"),
  capability_missing: row("dev.bailiwick.capability_missing", "denied", -32001, 422, false, "operator"),
  mandate_invalid: row("mandate_invalid", "denied", "tool", 403, false, "principal"),
  mandate_exhausted: row("mandate_exhausted", "denied", "tool", 403, false, "principal"),
  policy_denied: row("policy_blocked", "denied", "tool", 403, false, "operator"),
  permission_missing: row("policy_blocked", "denied", "tool", 403, false, "operator"),
  escalation_required: row("escalation_required", "denied", "tool", 403, true, "approver"),
  more_evidence_required: row("evidence_required", "denied", "tool", 403, true, "caller"),
  invariant_failed: row("invariant_failed", "denied", "tool", 422, false, "caller"),
  rate_limited: row("budget_exceeded", "denied", "tool", 429, true, "time"),
  budget_exceeded: row("budget_exceeded", "denied", "tool", 429, true, "operator"),
  invalid_input: row("input_schema_validation_failed", "denied", "tool", 422, false, "caller"),
  no_workspace_roots: row("input_schema_validation_failed", "denied", -32602, 422, false, "caller"),
  invalid_path: row("input_schema_validation_failed", "denied", -32602, 422, false, "caller"),
  path_outside_roots: row("input_schema_validation_failed", "denied", -32602, 422, false, "caller"),
  unknown_root: row("input_schema_validation_failed", "denied", -32602, 422, false, "caller"),
  unsupported_scheme: row("input_schema_validation_failed", "denied", -32602, 422, false, "caller"),
  guardrail_blocked: row("safety_blocked", "denied", "tool", 403, false, "operator"),
  approval_pending: row("approval_required", "denied", "tool", 202, true, "approver"),
  approval_denied: row("policy_blocked", "denied", "tool", 403, false, "approver"),
  approval_expired: row("approval_required", "denied", "tool", 409, true, "caller"),
  idempotency_conflict: row("dev.bailiwick.idempotency_conflict", "denied", "tool", 409, false, "caller"),
  evidence_unavailable: row("evidence_unavailable", "denied", "tool", 503, true, "operator"),
  output_invalid: row("output_schema_validation_failed", "denied", "tool", 502, false, "author"),
  not_ready: row("not_ready", "failure", "tool", 503, true, "provider"),
  upstream_failed: row("host_error", "failure", "tool", 502, false, "provider"),
  timed_out: row("timeout", "failure", "tool", 504, false, "provider"),
  cancelled: row("cancelled", "failure", "tool", 499, true, "provider"),
  indeterminate: row("indeterminate", "indeterminate", "tool", 502, false, "person"),
  outcome_unrecorded: row("outcome_unrecorded", "indeterminate", "tool", 502, false, "person"),
  needs_auth: row("dev.bailiwick.needs_auth", "denied", "tool", 403, true, "person"),
  uri_taken: row("dev.bailiwick.uri_taken", "denied", -32602, 409, false, "operator"),
  uri_reserved: row("dev.bailiwick.uri_reserved", "denied", -32602, 409, false, "operator"),
  skill_digest_mismatch: row("dev.bailiwick.skill_digest_mismatch", "denied", -32602, 409, false, "operator"),
  host_unreachable: row("host_unreachable", "denied", "tool", 503, true, "time"),

  bad_host: outside(421, "caller"),
  bad_origin: outside(403, "caller"),
  unsupported_type: outside(415, "caller"),
  // The host's own tools say these inside a call too.
  bad_request: row("dev.bailiwick.bad_request", "denied", -32600, 400, false, "caller"),
  too_large: row("dev.bailiwick.too_large", "denied", -32600, 413, false, "caller"),
  not_found: row("dev.bailiwick.not_found", "denied", -32600, 404, false, "caller"),
  quota_exceeded: row("dev.bailiwick.quota_exceeded", "denied", -32600, 409, false, "operator"),
  resource_not_found: row("dev.bailiwick.resource_not_found", "denied", -32602, 404, false, "caller"),
  name_taken: row("dev.bailiwick.name_taken", "denied", -32600, 409, false, "operator"),
  already_installed: row("dev.bailiwick.already_installed", "denied", -32600, 409, false, "operator"),
  protected: row("dev.bailiwick.protected", "denied", -32600, 403, false, "operator"),
  install_refused: row("dev.bailiwick.install_refused", "denied", -32600, 422, false, "operator"),
  credentials_required: row("dev.bailiwick.credentials_required", "denied", -32600, 400, false, "operator"),
  run_in_progress: row("dev.bailiwick.run_in_progress", "denied", -32600, 409, true, "caller"),
  model_unconfigured: row("dev.bailiwick.model_unconfigured", "denied", -32600, 503, false, "operator"),
  // A fault of the host's own while it told of itself.
  server_error: row("dev.bailiwick.server_error", "failure", -32603, 500, true, "operator"),
  model_failed: row("dev.bailiwick.model_failed", "failure", -32600, 502, true, "provider"),
} as const satisfies Record<string, RefusalRow>;

export type RefusalKind = keyof typeof REFUSALS;
