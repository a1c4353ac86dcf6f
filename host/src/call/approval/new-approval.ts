/** The record of a question that is put to people for the first time, within the bounds of the queue. */
import { idsOf } from "../../kernel/call-ids.ts";
import { makeId } from "../../kernel/make-id.ts";
import { principalName } from "../../kernel/principal-name.ts";
import type { Valid } from "../../kernel/stages.ts";
import { subjectOf } from "../../kernel/subject.ts";
import type { ApprovalIndex } from "./approval-index.ts";
import { fullRefusal, unshowableRefusal } from "./approval-refusals.ts";
import { approvedInput, approvedText } from "./digests.ts";
import type { Asked } from "./judge-call.ts";
import { payloadCommitment } from "./payload-commitment.ts";
import type { StoredApproval } from "./stored-approval.ts";

const MAX_PENDING = 10_000;
const MAX_PENDING_OF_PRINCIPAL = 200;
const MAX_INPUT_BYTES = 262_144;
/** Characters of the arguments of all that are not over. */
const MAX_INPUT = 67_108_864;
const MAX_INPUT_OF_PRINCIPAL = 4_194_304;

/** Throws the Refusal when there is no room, or when nobody could be shown what they approve. */
export const checkRoom = (index: ApprovalIndex, { call }: Asked): void => {
  const input = approvedText(call);
  const bytes = Buffer.byteLength(input);
  if (bytes > MAX_INPUT_BYTES) throw unshowableRefusal(call.target.flatName, bytes, MAX_INPUT_BYTES);
  const { all, own } = index.loads(principalName(call.principal));
  const check = (who: Valid["principal"] | null, { pending, characters }: typeof all, most: Most): void => {
    if (pending >= most.pending) throw fullRefusal(who, { what: "approvals", limit: most.pending, used: pending });
    if (characters + input.length <= most.characters) return;
    throw fullRefusal(who, { what: "characters", limit: most.characters, used: characters });
  };
  check(call.principal, own, { pending: MAX_PENDING_OF_PRINCIPAL, characters: MAX_INPUT_OF_PRINCIPAL });
  check(null, all, { pending: MAX_PENDING, characters: MAX_INPUT });
};

interface Most {
  readonly pending: number;
  readonly characters: number;
}

/** Who asks, and in which invocation. */
export const requesterOf = (call: Valid): Requester => {
  const { invocationId, correlation } = idsOf(call);
  return {
    invocation_id: invocationId,
    correlation_id: correlation.id,
    causation_id: correlation.causationId,
    parent_id: correlation.parentId,
    trace_id: correlation.traceId,
    subject: subjectOf(call.principal, call.door, {
      mandate: call.verdict.mandate,
      asserted: call.envelope?.asserted ?? null,
    }),
  };
};

type Requester = Pick<
  StoredApproval,
  "invocation_id" | "correlation_id" | "causation_id" | "parent_id" | "trace_id" | "subject"
>;

export const newApproval = (
  { call, demand, required, digest }: Asked,
  { now, confidential }: { readonly now: number; readonly confidential: boolean },
): StoredApproval => {
  const { principal, target } = call;
  const { capability } = target;
  return {
    ...requesterOf(call),
    id: makeId("apr_"),
    state: "pending",
    digest,
    capability: { id: capability.id, version: capability.version, definition: target.tool?.definition ?? null },
    tool: target.flatName,
    requested_by: principal.id,
    ...(principal.onBehalfOf === null ? {} : { on_behalf_of: principal.onBehalfOf }),
    ...(principal.chain === undefined ? {} : { chain: principal.chain.map(({ id }) => id) }),
    workspace: principal.workspace,
    door: call.door,
    rule: demand.rule,
    risk_tier: capability.risk,
    required,
    decisions: [],
    created_at: new Date(now).toISOString(),
    expires_at: new Date(now + demand.ttlS * 1_000).toISOString(),
    input: approvedText(call),
    commitment: payloadCommitment(approvedInput(call)),
    ttl_s: demand.ttlS,
    classification: capability.classification,
    confidential,
  };
};
