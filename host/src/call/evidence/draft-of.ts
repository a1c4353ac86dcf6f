/** What every event of a call has in common. */
import { idsOf } from "../../kernel/call-ids.ts";
import type { EvidenceDraft } from "../../kernel/evidence.ts";
import type { Invocation, Stopped } from "../../kernel/stages.ts";
import { capabilityOf, subjectOfCall } from "./describe-call.ts";

export const draftOf = (
  call: Stopped,
  type: string,
  invocation: Pick<Invocation, "id" | "correlation"> | undefined = call.invocation,
): Omit<EvidenceDraft, "outcome" | "payload" | "error" | "denial"> => {
  const capability = capabilityOf(call);
  return {
    type,
    invocationId: invocation?.id ?? idsOf(call).invocationId,
    capabilityId: capability.id,
    capabilityVersion: call.target ? capability.version : null,
    correlation: invocation?.correlation ?? idsOf(call).correlation,
    subject: subjectOfCall(call),
  };
};
