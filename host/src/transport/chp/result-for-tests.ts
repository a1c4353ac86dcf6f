/** An InvocationResult for the tests of the doors, where the room that shapes answers is not at hand. */
import type { Answer } from "../../kernel/call.ts";
import { rawJson, type RawJson } from "../../kernel/raw-json.ts";

const TIME = "2026-01-02T03:04:05.678Z";

export const standInResult = ({ ending, outcome, record, replayed }: Answer): RawJson => {
  const refusal = ending.kind === "refusal" ? ending.refusal : null;
  const denial = refusal && { code: refusal.row.chp, message: refusal.message, retryable: refusal.retryable };
  const body = {
    invocation_id: record?.invocationId,
    capability_id: record?.capabilityId,
    capability_version: record?.capabilityVersion,
    correlation: { correlation_id: record?.correlation.id },
    outcome,
    success: outcome === "success",
    data: ending.kind === "result" ? (JSON.parse(ending.json) as unknown) : null,
    error: null,
    denial,
    evidence_ids: record?.evidenceIds,
    started_at: TIME,
    completed_at: TIME,
    ...(replayed ? { replayed } : {}),
  };
  return rawJson(JSON.stringify(body));
};
