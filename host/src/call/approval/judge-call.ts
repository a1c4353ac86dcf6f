/**
 * What is to be done about a call that needs an approval: one of few answers. Looks and touches nothing, so that the stage
 * and `explain` ask the same function.
 */
import { idsOf } from "../../kernel/call-ids.ts";
import type { ApprovalDemand } from "../../kernel/capability.ts";
import type { Refusal } from "../../kernel/refusal.ts";
import type { Valid } from "../../kernel/stages.ts";
import type { ApprovalLedger } from "./approval-ledger.ts";
import { deniedRefusal, goneRefusal, wrongRefRefusal } from "./approval-refusals.ts";
import { approvedInput, invocationDigest } from "./digests.ts";
import { payloadCommitment } from "./payload-commitment.ts";
import type { Grant } from "./sign-grant.ts";
import type { StandingEntry } from "./standing-approval.ts";
import type { StandingApprovals } from "./standing-approvals.ts";
import { callKey, stateAt, type StoredApproval } from "./stored-approval.ts";
import type { UsedGrants } from "./used-grants.ts";
import { checkGrant, grantMismatch } from "./verify-grant.ts";
import { mayKeyDecide, whyNotAgain } from "./who-decides.ts";

/** A call with what is demanded of it. */
export interface Asked {
  readonly call: Valid;
  readonly demand: ApprovalDemand;
  readonly required: StoredApproval["required"];
  readonly digest: string;
  readonly key: string;
}

export const describeAsked = (call: Valid, demand: ApprovalDemand, digest: string): Asked => {
  const required = { count: demand.count, approvers: demand.approvers ?? [], four_eyes: demand.fourEyes };
  return { call, demand, required, digest, key: callKey({ digest, tool: call.target.flatName, required }) };
};

export interface Docket {
  readonly hostId: string;
  readonly ledger: ApprovalLedger;
  readonly standing: StandingApprovals;
  readonly used: UsedGrants;
  /** Public keys, base64, whose grants are believed. */
  readonly approverKeys: () => readonly string[];
  readonly now: () => number;
}

export type Judgement =
  | { readonly kind: "use" | "wait" | "lapsed"; readonly record: StoredApproval }
  | { readonly kind: "standing"; readonly entry: StandingEntry }
  | { readonly kind: "grant"; readonly grant: Grant; readonly publicKey: string }
  | { readonly kind: "refuse"; readonly refusal: Refusal }
  | { readonly kind: "ask" };

export const judgeCall = (docket: Docket, asked: Asked): Judgement => {
  const ref = asked.call.envelope?.approvalRef ?? null;
  if (ref !== null) return judgeRef(docket, asked, ref);
  const current = docket.ledger.index.current(asked.key);
  const found = current === null ? ({ kind: "ask" } as const) : judgeRecord(current, docket.now());
  if (found.kind === "use" || found.kind === "refuse") return found;
  const entry = docket.standing.find(asked.call, asked.demand);
  return entry === null ? found : { kind: "standing", entry };
};

const judgeRecord = (record: StoredApproval, now: number): Judgement => {
  switch (stateAt(record, now)) {
    case "pending":
      return { kind: "wait", record };
    case "granted":
      return { kind: "use", record };
    case "denied":
      // A no holds as long as the question would have; nobody is asked over and over.
      return now < Date.parse(record.expires_at) ? { kind: "refuse", refusal: deniedRefusal(record) } : { kind: "ask" };
    case "expired":
      return record.state === "expired" ? { kind: "ask" } : { kind: "lapsed", record };
    default:
      return { kind: "ask" };
  }
};

/** The caller named this one: no other takes its place. */
const judgeBrought = (record: StoredApproval, now: number): Judgement => {
  const found = judgeRecord(record, now);
  if (found.kind !== "ask" && found.kind !== "lapsed") return found;
  const state = record.state === "consumed" || record.state === "cancelled" ? record.state : "expired";
  return { kind: "refuse", refusal: goneRefusal(record, state) };
};

const judgeRef = (docket: Docket, asked: Asked, ref: unknown): Judgement => {
  const { ledger } = docket;
  const now = docket.now();
  const refuse = (why: string): Judgement => ({
    kind: "refuse",
    refusal: wrongRefRefusal(asked.call.target.flatName, asked.demand.rule, why),
  });
  if (typeof ref === "string") {
    const named = ledger.find(ref);
    return named && callKey(named) === asked.key
      ? judgeBrought(named, now)
      : refuse("it is of another call, or unknown");
  }
  const checked = checkGrant(ref, now);
  if ("fault" in checked) return refuse(checked.fault);
  const { grant, publicKey } = checked;
  const named = ledger.find(String(grant["approval_id"]));
  if (named && callKey(named) === asked.key && holdsGrant(named, grant)) return judgeBrought(named, now);
  const fault = foreignFault(docket, asked, checked);
  if (fault !== null) return refuse(fault);
  const taken = docket.used.takenFor(grant, publicKey);
  if (taken !== null) {
    const record = ledger.find(taken);
    return record && callKey(record) === asked.key ? judgeBrought(record, now) : refuse("it has been used");
  }
  return judgeForeign(docket, asked, checked);
};

type Checked = { readonly grant: Grant; readonly publicKey: string };

/** Who decided already, and whether there is anything to decide. */
const judgeForeign = (docket: Docket, asked: Asked, { grant, publicKey }: Checked): Judgement => {
  const current = docket.ledger.index.current(asked.key);
  const found = current === null ? ({ kind: "ask" } as const) : judgeRecord(current, docket.now());
  if (found.kind === "use" || found.kind === "refuse" || found.kind === "lapsed") return found;
  const again = found.kind === "wait" ? whyNotAgain(`key:${publicKey}`, found.record, true) : null;
  return again === null ? { kind: "grant", grant, publicKey } : found;
};

const holdsGrant = ({ decisions }: StoredApproval, grant: Grant): boolean =>
  decisions.some((decision) => decision.grant !== undefined && signatureOf(decision.grant) === signatureOf(grant));

const signatureOf = (grant: Grant): unknown => (grant["signature"] as Grant | undefined)?.["signature"];

/** Written with or without `key:` before it. */
export const isPinned = ({ approverKeys }: Pick<Docket, "approverKeys">, publicKey: string): boolean =>
  approverKeys().some((key) => key.replace(/^key:/, "") === publicKey);

/** Why a grant that verifies does not approve this call; null: it does. */
const foreignFault = (
  docket: Docket,
  { call, required, digest }: Asked,
  { grant, publicKey }: Checked,
): string | null => {
  if (!isPinned(docket, publicKey)) return "its key is not pinned in approvals.approverKeys";
  if (!mayKeyDecide(publicKey, required)) return "its key is not among those that decide this call";
  const invocationId = idsOf(call).invocationId;
  const mismatch = grantMismatch(grant, {
    audience: docket.hostId,
    invocation_id: invocationId,
    payload_commitment: payloadCommitment(approvedInput(call)),
    action_digest: digest,
    binding_id: call.target.flatName,
    invocation_digest: invocationDigest(call, { hostId: docket.hostId, invocationId, actionDigest: digest }),
  });
  return mismatch === null ? null : `its ${mismatch} is of something else`;
};
