/** The one outward form of a refusal: the same object as tool result, JSON-RPC error data and REST data. */
import type { Refusal } from "../../kernel/refusal.ts";

export const refusalObject = (
  refusal: Refusal,
  stage: number,
  evidenceId: string | null,
): Readonly<Record<string, unknown>> => ({
  kind: refusal.kind,
  ...(refusal.row.chp === "" ? {} : { chp_code: refusal.row.chp }),
  stage,
  message: refusal.message,
  retryable: refusal.retryable,
  ...(refusal.retryAfterMs === null ? {} : { retry_after_ms: refusal.retryAfterMs }),
  fixer: refusal.row.fixer,
  next: refusal.next,
  details: refusal.details,
  ...(refusal.kind === "capability_missing" ? { ...refusal.details, remedy: refusal.next } : {}),
  evidence_id: evidenceId,
});
