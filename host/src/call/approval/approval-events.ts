/** What evidence says about an approval: events of the invocation that asked for it, whoever acts. */
import type { EvidenceDraft } from "../../kernel/evidence.ts";
import type { Principal } from "../../kernel/principal.ts";
import { stable } from "../../kernel/stable.ts";
import { principalUri, subjectOf } from "../../kernel/subject.ts";
import type { StoredApproval } from "./stored-approval.ts";

type Facts = Readonly<Record<string, unknown>>;

const uriOf = ({ capability }: StoredApproval): string => `${capability.id}:${capability.version}`;

const draftOf = (record: StoredApproval, type: string, facts: Facts): EvidenceDraft => ({
  type,
  invocationId: record.invocation_id,
  capabilityId: record.capability.id,
  capabilityVersion: record.capability.version,
  correlation: {
    id: record.correlation_id,
    causationId: record.causation_id,
    parentId: record.parent_id,
    traceId: record.trace_id,
    fresh: false,
  },
  outcome: null,
  payload: stable({ capability_uri: uriOf(record), ...facts }),
  subject: record.subject,
  error: "null",
  denial: "null",
  ...(record.confidential ? {} : { actionDigest: record.digest }),
});

/** A decision is made over REST, or by the person at the machine itself. */
const deciderSubject = (by: Principal): string => subjectOf(by, by.assurance === "local" ? "cli" : "rest");

/** `person:x` as URI; a key as it is. */
const nameOf = (by: string): string => (by.startsWith("key:") ? by : principalUri(by));

/** `fresh`: no event has its correlation yet. */
export const requestedEvent = (record: StoredApproval, fresh: boolean): EvidenceDraft => {
  const draft = draftOf(record, "approval_requested", {
    approval_id: record.id,
    rule: record.rule,
    risk_tier: record.risk_tier,
    count: record.required.count,
    four_eyes: record.required.four_eyes,
    expires_at: record.expires_at,
  });
  return { ...draft, correlation: { ...draft.correlation, fresh } };
};

export interface DecidedBy {
  readonly by: string;
  /** Null: a key decided, and whoever brought its grant acts. */
  readonly person: Principal | null;
  readonly reason?: string | undefined;
}

/** `record` as it is after the decision. The payloads of the two types of CHP have no members but these. */
export const decidedEvent = (record: StoredApproval, { by, person, reason }: DecidedBy): EvidenceDraft => {
  const subject = person === null ? record.subject : deciderSubject(person);
  const decided_by = nameOf(by);
  if (record.state === "denied") return { ...draftOf(record, "approval_denied", { decided_by, reason }), subject };
  if (record.state === "granted")
    return { ...draftOf(record, "approval_granted", { decided_by, note: reason }), subject };
  const { length: count } = record.decisions;
  const facts = { approval_id: record.id, decided_by, note: reason, count, of: record.required.count };
  return { ...draftOf(record, "dev.bailiwick.approval_counted", facts), subject };
};

export const expiredEvent = (record: StoredApproval): EvidenceDraft =>
  draftOf(record, "dev.bailiwick.approval_expired", { approval_id: record.id, state: record.state });

/** `by` null: the host itself. */
export const cancelledEvent = (record: StoredApproval, by: Principal | null): EvidenceDraft => ({
  ...draftOf(record, "dev.bailiwick.approval_cancelled", { approval_id: record.id, reason: record.reason }),
  ...(by === null ? {} : { subject: deciderSubject(by) }),
});

/** Stands in the invocation that uses it, which need not be the one that asked. */
export const usedEvent = (record: StoredApproval): Pick<EvidenceDraft, "type" | "payload"> => ({
  type: "approval_grant_verified",
  payload: stable({
    capability_uri: uriOf(record),
    approval_id: record.id,
    decided_by: record.decisions.map(({ by }) => nameOf(by)),
  }),
});
