/**
 * How drafts travel to the evidence worker: one flat array, `STRIDE` entries a draft. Cloning one array of strings is
 * several times cheaper than cloning as many small objects.
 */
import type { EvidenceDraft } from "../kernel/evidence.ts";

export type DraftFields = (string | null)[];

export const STRIDE = 14;
export const FIELD = {
  type: 0,
  invocationId: 1,
  capabilityId: 2,
  capabilityVersion: 3,
  correlationId: 4,
  causationId: 5,
  parentId: 6,
  traceId: 7,
  /** `"1"` or null. */
  fresh: 8,
  outcome: 9,
  payload: 10,
  subject: 11,
  error: 12,
  denial: 13,
} as const;

export const packDraft = (fields: DraftFields, draft: EvidenceDraft): void => {
  const correlation = draft.correlation;
  fields.push(
    draft.type,
    draft.invocationId,
    draft.capabilityId,
    draft.capabilityVersion,
    correlation.id,
    correlation.causationId,
    correlation.parentId,
    correlation.traceId,
    correlation.fresh ? "1" : null,
    draft.outcome,
    draft.payload,
    draft.subject,
    draft.error,
    draft.denial,
  );
};
