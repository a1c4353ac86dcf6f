/** Keys as they are made through a door. Nobody gives what they do not have: only who may do everything makes any key. */
import type { PrincipalFacts } from "../call/identity/principal-book.ts";
import { covers } from "../kernel/covers.ts";
import type { KeyRow } from "../kernel/key.ts";
import type { Principal } from "../kernel/principal.ts";
import { Refusal } from "../kernel/refusal.ts";
import { RISK_TIERS } from "../kernel/risk-tier.ts";
import { checkNewKey } from "../storage/check-new-key.ts";
import type { KeyAdmin } from "../transport/listener-deps.ts";
import type { RecordedKeys } from "./control-keys.ts";

/** What the configuration says about somebody. */
type FactsOf = (id: string) => PrincipalFacts;

export const giveKeys = (keys: RecordedKeys, factsOf: FactsOf): KeyAdmin => ({
  async create(order, giver) {
    checkGiver(checkNewKey(order, ""), giver, factsOf);
    return keys.create(order, giver.id);
  },
  list: () => keys.list(),
  revoke: (name, by) => keys.revoke(name, by),
});

type Wanted = Pick<KeyRow, "as" | "for" | "scopes" | "permissions">;

/** Throws the refusal of a key that could more than its giver. */
const checkGiver = (key: Wanted, giver: Principal, factsOf: FactsOf): void => {
  if (covers(giver.permissions, "*")) return;
  const lacking = key.permissions.filter((permission) => !covers(giver.permissions, permission));
  if (lacking.length > 0) throw refused(giver, `a key with ${lacking.join(", ")}`, lacking);
  const isOther = (id: string): boolean => id !== giver.id && id !== giver.onBehalfOf;
  // What acts for a person is not that person, and must not become it.
  if (key.as.startsWith("person:") && key.as !== giver.id) throw refused(giver, `a key of ${key.as}`);
  if (key.for !== null && isOther(key.for)) throw refused(giver, `a key that acts for ${key.for}`);
  const { scopes } = giver;
  if (scopes !== null && (key.scopes === null || key.scopes.some((scope) => !scopes.includes(scope))))
    throw refused(giver, `a key for more than ${scopes.join(", ")}`);
  if (key.as !== giver.id && exceeds(key, giver, factsOf))
    throw refused(giver, `a key of ${key.as}, to whom the configuration gives more`);
};

const exceeds = (key: Wanted, giver: Principal, factsOf: FactsOf): boolean => {
  const facts = factsOf(key.as);
  const behind = key.for === null ? null : factsOf(key.for);
  const bounds = [facts.maxRiskTier, behind?.maxRiskTier].flatMap((tier) => tier ?? []);
  const rank = Math.min(...bounds.map((tier) => RISK_TIERS.indexOf(tier)), RISK_TIERS.length);
  return (
    facts.roles.length > 0 ||
    facts.permissions.some((permission) => !covers(giver.permissions, permission)) ||
    (facts.clearance !== undefined && facts.clearance !== giver.clearance) ||
    (giver.maxRiskTier !== undefined && rank > RISK_TIERS.indexOf(giver.maxRiskTier))
  );
};

const refused = (giver: Principal, what: string, missing: readonly string[] = ["*"]): Refusal => {
  const person = giver.kind === "person" ? giver.id : (giver.onBehalfOf ?? "a person");
  return new Refusal("permission_missing", {
    message: `${giver.id} may not make ${what}: nobody gives what they do not have.`,
    next: `Ask for a key of an agent or service for ${person} with no more than ${giver.id} has, or have the owner make it with "bailiwick key create".`,
    details: { required_permission: missing[0] ?? "*", missing },
  });
};
