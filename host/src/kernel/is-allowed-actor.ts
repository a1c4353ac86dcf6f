/**
 * Whether who acts is in a list of allowed actors; an empty list is open. Only what was verified counts: the principal's own
 * id, and for a CHP key its bare name. Whom it acts for does not.
 */
import type { Principal } from "./principal.ts";

/** `agent://x` as `agent:x`; all else as it stands. */
export const plainId = (written: string): string => written.replace(/^([a-z]+):\/\//, "$1:");

export const isAllowedActor = (
  allowed: readonly string[],
  { id, subject }: Pick<Principal, "id" | "subject">,
): boolean =>
  allowed.length === 0 ||
  allowed.includes(id) ||
  (subject !== undefined && !subject.id.includes(":") && allowed.includes(subject.id));
