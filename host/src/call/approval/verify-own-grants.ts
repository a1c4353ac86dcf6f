/** Before an approval is used: the yeses that it holds are signed, different, enough, and for this call and host. */
import type { StoredApproval } from "./stored-approval.ts";
import { checkGrant } from "./verify-grant.ts";

export interface Believed {
  readonly hostId: string;
  /** As they are now: a key that was taken off the list has not said yes. */
  readonly isPinned: (publicKey: string) => boolean;
}

export const verifyOwnGrants = (
  { decisions, digest, commitment, required }: StoredApproval,
  { hostId, isPinned }: Believed,
): boolean => {
  const good = decisions.filter(({ by, grant }) => {
    // Until when it is good stands in the record: of several yeses the last counts.
    const checked = grant === undefined ? null : checkGrant(grant, 0);
    if (grant === undefined || checked === null || "fault" in checked) return false;
    if (by.startsWith("key:") && !(by === `key:${checked.publicKey}` && isPinned(checked.publicKey))) return false;
    return (
      grant["action_digest"] === digest && grant["payload_commitment"] === commitment && grant["audience"] === hostId
    );
  });
  return new Set(good.map(({ by }) => by)).size >= required.count;
};
