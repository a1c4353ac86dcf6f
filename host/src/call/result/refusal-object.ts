/** The one outward form of a refusal: the same object as tool result, JSON-RPC error data and REST data. */
import type { Refusal } from "../../kernel/refusal.ts";
import type { RefusalKind } from "../../kernel/refusals.ts";

/** Their details stand at the top too, where tools and clients of these refusals look for them. */
const REMEDIED: ReadonlySet<RefusalKind> = new Set<RefusalKind>([
  "capability_missing",
  "no_workspace_roots",
  "invalid_path",
  "path_outside_roots",
  "unknown_root",
  "unsupported_scheme",
]);

/** Its next step is also called `remedy`. */
export const hasRemedy = (kind: RefusalKind): boolean => REMEDIED.has(kind);

const isSpread = (kind: RefusalKind): boolean => kind === "resource_not_found" || hasRemedy(kind);

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
  ...(isSpread(refusal.kind) ? refusal.details : {}),
  ...(hasRemedy(refusal.kind) ? { remedy: refusal.next } : {}),
  evidence_id: evidenceId,
});
