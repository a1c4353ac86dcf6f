/**
 * Whether who acts is in a list of allowed actors; an empty list is open. Only what was verified counts: the principal's own
 * id, and for a CHP key its bare name. Whom it acts for does not; the programs between them have to be in the list too.
 */
import type { Actor, Principal } from "./principal.ts";

/** `agent://x` as `agent:x`; all else as it stands. */
export const plainId = (written: string): string => written.replace(/^([a-z]+):\/\//, "$1:");

export const isAllowedActor = (
  allowed: readonly string[],
  principal: Pick<Principal, "id" | "subject" | "chain">,
): boolean => {
  if (allowed.length === 0) return true;
  const { chain } = principal;
  return isListed(allowed, principal) && (chain === undefined || chain.every((actor) => isListed(allowed, actor)));
};

const isListed = (allowed: readonly string[], { id, subject }: Actor): boolean =>
  allowed.includes(id) || (subject !== undefined && !subject.id.includes(":") && allowed.includes(subject.id));
