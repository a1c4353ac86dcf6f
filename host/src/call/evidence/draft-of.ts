/** What every event of a call has in common. */
import type { EvidenceDraft } from "../../kernel/evidence.ts";
import { makeId } from "../../kernel/make-id.ts";
import type { Stopped } from "../../kernel/stages.ts";
import { capabilityOf, correlationOf, subjectOf } from "./describe-call.ts";

export const draftOf = (
  call: Stopped,
  type: string,
  invocation = call.invocation,
): Omit<EvidenceDraft, "outcome" | "payload" | "error" | "denial"> => {
  const capability = capabilityOf(call);
  return {
    type,
    invocationId: invocation?.id ?? makeId("inv_"),
    capabilityId: capability.id,
    capabilityVersion: call.target ? capability.version : null,
    correlation: invocation?.correlation ?? correlationOf(call),
    subject: call.principal ? subjectOf(call.principal, call.door) : "null",
  };
};
