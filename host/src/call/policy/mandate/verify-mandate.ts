/**
 * Whether a mandate holds, here and now: every link of its chain by itself, each against the one that it comes from, and the
 * last against who calls. Pure and offline. What it is for and how often it was used is asked elsewhere.
 */
import { didKeyOf } from "./did-key.ts";
import type { ProveLinks } from "./prove-links.ts";
import { readMandate, type MandateLink } from "./read-mandate.ts";
import { scopeCovers } from "./scope-covers.ts";

export interface MandateRules {
  readonly prove: ProveLinks;
  /** Public keys that a chain may begin with; null: any. */
  readonly principals: ReadonlySet<string> | null;
  /** Whether a delegate hands on by the key that it is pinned to, or by its name alone. */
  readonly delegateBinding: "key" | "name";
  /** Public keys by the name of the delegate. */
  readonly delegates: ReadonlyMap<string, string>;
  readonly isRevoked: (mandateId: string, principalKey: string) => boolean;
}

export interface MandateContext extends MandateRules {
  readonly now: number;
  /** Every name that the verified caller has. */
  readonly caller: readonly string[];
}

/** By name; those about a parent only where there is one. */
export type MandateChecks = Readonly<Record<string, boolean>>;

export interface MandateVerdict {
  readonly valid: boolean;
  readonly checks: MandateChecks;
  /** Leaf first; empty: it could not be read. */
  readonly links: readonly MandateLink[];
}

const UNREADABLE: MandateVerdict = { valid: false, checks: { form: false }, links: [] };

export const verifyMandate = (mandate: unknown, context: MandateContext): MandateVerdict => {
  const links = readMandate(mandate);
  const leaf = links?.[0];
  const root = links?.at(-1);
  if (!links || !leaf || !root) return UNREADABLE;
  const { now, principals } = context;
  const checks: Record<string, boolean> = {
    form: true,
    ...context.prove(links, now),
    window: links.every(({ validFrom, validUntil }) => validFrom <= now && now < validUntil),
    delegate: context.caller.includes(leaf.delegateId),
    principal: principals === null || principals.has(root.principal.publicKey),
    not_revoked: links.every(({ id, principal }) => !context.isRevoked(id, principal.publicKey)),
  };
  for (const [index, child] of links.slice(0, -1).entries()) {
    for (const [name, holds] of Object.entries(checkParent(child, links[index + 1]!, context)))
      checks[name] = (checks[name] ?? true) && holds;
  }
  return { valid: Object.values(checks).every(Boolean), checks, links };
};

const checkParent = (child: MandateLink, parent: MandateLink, rules: MandateRules): MandateChecks => ({
  parent: child.parentId === parent.id && child.depth === parent.depth + 1,
  delegate_join: child.principal.hostId === parent.delegateId && mayHandOn(child, parent, rules),
  attenuation_scope: child.scope.every((entry) => scopeCovers(parent.scope, entry)),
  attenuation_window: parent.validFrom <= child.validFrom && child.validUntil <= parent.validUntil,
  attenuation_count:
    parent.maxInvocations === null || child.maxInvocations === null || child.maxInvocations <= parent.maxInvocations,
});

/** A name is anybody's to write: under `key` it counts with the key that belongs to it. */
const mayHandOn = ({ principal }: MandateLink, { delegateId }: MandateLink, rules: MandateRules): boolean =>
  rules.delegateBinding === "name" ||
  rules.delegates.get(delegateId) === principal.publicKey ||
  delegateId === didKeyOf(principal.publicKey);
