/**
 * How drafts travel to the evidence worker: one text, a line a field, `STRIDE` lines a draft, an empty line for null.
 * Handing over one string costs a fraction of cloning as many small ones or objects.
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

/** Ends with a line end, so that texts can be joined. No field may hold one; `openEvidenceLog` sees to that. */
export const packDraft = (draft: EvidenceDraft): string => {
  const { id, causationId, parentId, traceId, fresh } = draft.correlation;
  return (
    `${draft.type}\n${draft.invocationId}\n${draft.capabilityId}\n${draft.capabilityVersion ?? ""}\n${id}\n` +
    `${causationId ?? ""}\n${parentId ?? ""}\n${traceId ?? ""}\n${fresh ? "1" : ""}\n${draft.outcome ?? ""}\n` +
    `${draft.payload}\n${draft.subject}\n${draft.error}\n${draft.denial}\n`
  );
};

export const unpackDrafts = (text: string): DraftFields => {
  const fields: DraftFields = text.split("\n");
  fields.pop();
  for (let i = 0; i < fields.length; i++) if (fields[i] === "") fields[i] = null;
  return fields;
};
