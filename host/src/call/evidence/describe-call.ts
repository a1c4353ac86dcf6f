/** The parts of an evidence event that describe a call: who and what. */
import type { Capability } from "../../kernel/capability.ts";
import { capabilityId } from "../../kernel/capability-id.ts";
import type { Stopped } from "../../kernel/stages.ts";
import { subjectOf } from "../../kernel/subject.ts";

/** A name that was refused on one provider's endpoint is written with that provider, as it would be on `/mcp`. */
export const capabilityOf = ({
  target,
  provider,
  name,
}: Pick<Stopped, "target" | "provider" | "name">): Pick<Capability, "id" | "version" | "uri"> => {
  if (target) return target.capability;
  const id = capabilityId(provider === null ? name : `${provider}__${name}`);
  return { id, version: "0.0.0", uri: `${id}:0.0.0` };
};

/** Canonical text of `subject`; a mandate and what the request claims are part of it. */
export const subjectOfCall = ({ principal, door, verdict, envelope }: Stopped): string =>
  principal === undefined
    ? "null"
    : subjectOf(principal, door, { mandate: verdict?.mandate ?? null, asserted: envelope?.asserted ?? null });
