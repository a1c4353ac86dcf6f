/**
 * The first question of stage 6: a call that comes with a mandate is bound by it. A mandate narrows and attributes and never
 * widens: whatever it says, every other check is asked too.
 */
import type { Admission } from "../../../kernel/admission.ts";
import type { HostState } from "../../../kernel/evidence.ts";
import type { Principal } from "../../../kernel/principal.ts";
import { Refusal } from "../../../kernel/refusal.ts";
import type { Equipped } from "../../../kernel/stages.ts";
import { principalUri } from "../../../kernel/subject.ts";
import { MandateCounts } from "./mandate-counts.ts";
import { rememberProofs } from "./prove-links.ts";
import type { MandateLink } from "./read-mandate.ts";
import { scopeCovers } from "./scope-covers.ts";
import { verifyMandate, type MandateChecks, type MandateRules } from "./verify-mandate.ts";

export interface MandatesOptions {
  /** `chp.mandates` */
  readonly mandates: { readonly principals: "pinned" | "any"; readonly delegateBinding: "key" | "name" };
  /** `auth.mandatePrincipals`: public keys, base64. */
  readonly mandatePrincipals: readonly string[];
  /** `auth.delegates`: public keys by the name of the delegate. */
  readonly delegates: Readonly<Record<string, string>>;
  readonly isRevoked: (mandateId: string, principalKey: string) => boolean;
  readonly state: Pick<HostState, "entries">;
  readonly policyVersion: () => string;
  readonly now?: () => number;
}

export interface Mandated {
  /** Members of the evidence subject. */
  readonly facts: Readonly<Record<string, unknown>>;
  readonly admissions: readonly Admission[];
}

/** Null: the call comes without one. Throws the Refusal of one that does not hold; touches nothing. */
export type Mandates = (call: Pick<Equipped, "envelope" | "principal" | "target" | "continues">) => Mandated | null;

export const createMandates = (options: MandatesOptions): Mandates => {
  const { mandates, isRevoked, now = Date.now } = options;
  const rules: MandateRules = {
    prove: rememberProofs(),
    principals: mandates.principals === "any" ? null : new Set(options.mandatePrincipals),
    delegateBinding: mandates.delegateBinding,
    delegates: new Map(Object.entries(options.delegates)),
    isRevoked,
  };
  const counts = new MandateCounts(options.state, now);
  return (call) => {
    const { envelope, principal, target } = call;
    const mandate = envelope?.mandate ?? null;
    if (mandate === null) return null;
    const verdict = verifyMandate(mandate, { ...rules, now: now(), caller: namesOf(principal) });
    const [leaf] = verdict.links;
    const root = verdict.links.at(-1);
    if (!verdict.valid || !leaf || !root) throw invalid(verdict.checks);
    const { id } = target.capability;
    if (!scopeCovers(leaf.scope, id)) throw outsideScope(leaf, id, options.policyVersion());
    const admission = hasBegun(call) ? null : counts.admit(verdict.links);
    return { facts: factsOf(leaf, root), admissions: admission === null ? [] : [admission] };
  };
};

/** It was counted then, and is asked about once more because a server asked back. */
const hasBegun = (call: Pick<Equipped, "continues">): boolean => call.continues !== null || "invocation" in call;

const namesOf = ({ id, subject }: Principal): readonly string[] => [
  id,
  principalUri(id),
  ...(subject === undefined ? [] : [subject.id]),
];

const factsOf = (leaf: MandateLink, root: MandateLink): Mandated["facts"] => ({
  id: leaf.delegateId,
  type: "mandate",
  verified: true,
  mandate_id: leaf.id,
  principal: leaf.principal.hostId,
  root_principal: root.principal.hostId,
});

const invalid = (checks: MandateChecks): Refusal => {
  const failed = Object.keys(checks).filter((name) => checks[name] === false);
  return new Refusal("mandate_invalid", {
    message: `The mandate that came with the call does not hold: ${failed.join(", ")}.`,
    next: "Ask its principal for a new mandate, made out to the name that this host knows the caller by.",
    details: { checks },
  });
};

const outsideScope = ({ id, scope }: MandateLink, capability: string, policyVersion: string): Refusal => {
  const explanation = `The mandate ${id} is not for ${capability}.`;
  const next = "Ask its principal for a mandate that covers it, or call without the mandate.";
  return new Refusal("policy_denied", {
    message: explanation,
    next,
    details: {
      decision: "deny",
      matched_rule: "mandate_scope",
      policy_version: policyVersion,
      explanation,
      required_next_action: next,
      scope: scope.slice(0, 32),
    },
  });
};
