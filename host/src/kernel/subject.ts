/** Who acts, as evidence writes it: canonical text, remembered, since one principal makes many calls. */
import type { Principal } from "./principal.ts";
import { stable } from "./stable.ts";

/** Outward form: `agent:x` is written `agent://x`. */
export const principalUri = (id: string): string => id.replace(/^([a-z]+):(?!\/\/)/, "$1://");

type Facts = Readonly<Record<string, unknown>>;

const subjects = new WeakMap<Principal, Map<string, string>>();

/** The members of `subject` that every call of this principal at this door has. */
const factsOf = (principal: Principal, door: string): Facts => ({
  id: principal.subject?.id ?? principalUri(principal.id),
  type: principal.subject?.type ?? principal.kind,
  verified: principal.assurance === "credential",
  door,
  workspace: principal.workspace,
  ...(principal.subject === undefined ? {} : { principal: principalUri(principal.id) }),
  ...(principal.onBehalfOf === null ? {} : { on_behalf_of: principalUri(principal.onBehalfOf) }),
  ...(principal.chain === undefined
    ? {}
    : { chain: principal.chain.map(({ id, subject }) => subject?.id ?? principalUri(id)) }),
});

/**
 * Canonical text of `subject`. `mandate`: under whose mandate it acts, which then names it; `asserted`: what the request
 * claimed, which decides nothing.
 */
export const subjectOf = (
  principal: Principal,
  door: string,
  more: { readonly mandate?: Facts | null; readonly asserted?: Facts | null } = {},
): string => {
  if (more.mandate || more.asserted) {
    const asserted = more.asserted ? { asserted: more.asserted } : {};
    return stable({ ...factsOf(principal, door), ...more.mandate, ...asserted });
  }
  const doors = subjects.get(principal) ?? new Map<string, string>();
  const known = doors.get(door);
  if (known !== undefined) return known;
  const text = stable(factsOf(principal, door));
  subjects.set(principal, doors.set(door, text));
  return text;
};
