/** Takes what a call uses up when it begins, all of it or nothing. */
import type { Admission, Taken } from "../../kernel/admission.ts";
import type { EvidenceDraft, StateWrite } from "../../kernel/evidence.ts";
import { stable } from "../../kernel/stable.ts";
import type { Approved, Invocation } from "../../kernel/stages.ts";

export interface AllTaken {
  readonly events: NonNullable<Taken["events"]>;
  readonly writes: readonly StateWrite[];
  release(): void;
}

const NOTHING: AllTaken = Object.freeze({ events: [], writes: [], release: () => {} });

const admissionsOf = ({ verdict, approval }: Approved): readonly Admission[] =>
  approval === null ? verdict.admissions : [...verdict.admissions, approval.admission];

/** Without a pause between them, so that nobody else takes the same place. Throws the Refusal of the first that is gone. */
export const takeAdmissions = (call: Approved, invocation: Invocation): AllTaken => {
  const admissions = admissionsOf(call);
  if (admissions.length === 0 && call.guardrails.length === 0) return NOTHING;
  const taken: Taken[] = [];
  const release = (): void => {
    for (const each of taken.toReversed()) each.release();
  };
  try {
    for (const admission of admissions) taken.push(admission.take(invocation));
  } catch (no) {
    release();
    throw no;
  }
  return {
    events: [...taken.flatMap(({ events = [] }) => events), ...safetyEvents(call.guardrails)],
    writes: taken.flatMap(({ writes }) => writes),
    release,
  };
};

type Event = Pick<EvidenceDraft, "type" | "payload">;

/** Guardrails looked at the call and let it pass. */
const safetyEvents = (guardrails: readonly string[]): readonly Event[] => {
  if (guardrails.length === 0) return [];
  const payload = stable({ guardrails });
  return ["safety_assessment_started", "safety_assessment_completed", "safety_action_approved"].map((type) => ({
    type,
    payload,
  }));
};
