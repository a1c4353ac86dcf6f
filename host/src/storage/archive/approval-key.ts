/**
 * What a request for an approval and the decisions about it have in common: the digest of the call, which names who asked.
 * Events of a confidential call show none, and then it is the invocation, whose id is anybody's to choose. Pure.
 */
import type { Json } from "./archive-parts.ts";

const DECISIONS: ReadonlySet<unknown> = new Set([
  "approval_granted",
  "approval_denied",
  "dev.bailiwick.approval_counted",
  "dev.bailiwick.approval_cancelled",
]);

/** Whether somebody else than the caller may have written it about the call. */
export const isDecision = ({ event_type: type }: Json): boolean => DECISIONS.has(type);

export const isRequest = ({ event_type: type }: Json): boolean => type === "approval_requested";

export const approvalKeyOf = ({ action_digest: digest, correlation, invocation_id: invocation }: Json): string =>
  typeof digest === "string"
    ? digest
    : `${String((correlation as Json | null)?.["correlation_id"])}\n${String(invocation)}`;
