/** A draft on its way into a batch of the log: its text, and what has to be known of it until it is acknowledged. */
import type { EvidenceDraft } from "../kernel/evidence.ts";
import { HostError } from "../kernel/host-error.ts";
import { defectOf } from "./draft-defect.ts";
import { packDraft, type BesideDraft } from "./draft-fields.ts";

export interface PackedDraft {
  readonly draft: EvidenceDraft;
  readonly text: string;
  readonly beside: BesideDraft | undefined;
  /** Of the text and of what stands beside it. */
  readonly chars: number;
}

/** The error of a draft that would spoil the log is returned, so that nobody has to catch it on the way of every call. */
export const packedDraft = (draft: EvidenceDraft, beside: BesideDraft | undefined): PackedDraft | HostError => {
  const text = packDraft(draft, beside);
  const defect = defectOf(text, beside);
  if (defect !== null) return new HostError(`evidence draft ${draft.type} ${defect}`);
  return {
    draft,
    text,
    beside,
    chars: text.length + (beside?.reply?.text.length ?? 0) + (beside?.payload?.length ?? 0),
  };
};
