/**
 * What `auth.principals` says about whom. A principal is found under either spelling of its id; a credential that has a bare
 * name only, a key or a token of CHP, acts as the principal of that name.
 */
import { RISK_TIERS, type RiskTier } from "../../kernel/risk-tier.ts";
import { parsePrincipal } from "./parse-principal.ts";

export interface PrincipalEntry {
  readonly roles: readonly string[];
  readonly permissions: readonly string[];
  readonly clearance?: string | undefined;
  readonly max_risk_tier?: RiskTier | undefined;
}

/** Entries by id. */
export type PrincipalEntries = Readonly<Record<string, PrincipalEntry>>;

export interface PrincipalFacts {
  readonly roles: readonly string[];
  readonly permissions: readonly string[];
  readonly clearance?: string;
  readonly maxRiskTier?: RiskTier;
}

export interface PrincipalBook {
  /** Of somebody unknown, that there is nothing. The owner and the local user have everything, whatever the file says. */
  factsOf(id: string): PrincipalFacts;
  /** What the file says, alone: a key that was made out to the owner is not the owner's key. */
  entryOf(id: string): PrincipalFacts;
  /** The id behind the bare name of a credential; null: it can be nobody's name. */
  idOf(name: string): string | null;
}

const NOTHING: PrincipalFacts = Object.freeze({ roles: Object.freeze([]), permissions: Object.freeze([]) });

const BORN: ReadonlyMap<string, PrincipalFacts> = new Map([
  ["person:owner", { roles: ["owner"], permissions: ["*"] }],
  ["person:local", { roles: [], permissions: ["*"] }],
]);

/** In which order a bare name is looked up; the first stands for what has no entry. */
const NAMED_KINDS = ["service", "agent", "person"] as const;

export const createPrincipalBook = (entries: PrincipalEntries): PrincipalBook => {
  const known = new Map<string, PrincipalFacts>();
  const idOf = (name: string): string | null => {
    const ids = NAMED_KINDS.map((kind) => parsePrincipal(`${kind}:${name}`)?.id ?? null);
    return ids.find((id) => id !== null && known.has(id)) ?? ids[0] ?? null;
  };
  const add = (id: string, { roles, permissions, clearance, max_risk_tier: maxRiskTier }: PrincipalEntry): void => {
    known.set(id, joinFacts(known.get(id) ?? NOTHING, { roles, permissions, clearance, maxRiskTier }));
  };
  const bare: [name: string, entry: PrincipalEntry][] = [];
  for (const [name, entry] of Object.entries(entries)) {
    const id = parsePrincipal(name)?.id;
    if (id === undefined) bare.push([name, entry]);
    else add(id, entry);
  }
  // After the others, because a bare name means one of them if there is one.
  for (const [name, entry] of bare) {
    const id = idOf(name);
    if (id !== null) add(id, entry);
  }
  const entryOf = (id: string): PrincipalFacts => known.get(id) ?? NOTHING;
  const born = new Map([...BORN].map(([id, facts]) => [id, joinFacts(facts, entryOf(id))]));
  return { factsOf: (id) => born.get(id) ?? entryOf(id), entryOf, idOf };
};

type SomeFacts = Pick<PrincipalFacts, "roles" | "permissions"> & {
  readonly clearance?: string | undefined;
  readonly maxRiskTier?: RiskTier | undefined;
};

/** What both grant, and the narrower of what bounds them; the clearance of the second, if it has one. */
export const joinFacts = (first: SomeFacts, second: SomeFacts): PrincipalFacts => {
  const clearance = second.clearance ?? first.clearance;
  const maxRiskTier = lowestTier(first.maxRiskTier, second.maxRiskTier);
  return Object.freeze({
    roles: union(first.roles, second.roles),
    permissions: union(first.permissions, second.permissions),
    ...(clearance === undefined ? {} : { clearance }),
    ...(maxRiskTier === undefined ? {} : { maxRiskTier }),
  });
};

/** Absent: no bound. */
export const lowestTier = (a: RiskTier | undefined, b: RiskTier | undefined): RiskTier | undefined => {
  if (a === undefined || b === undefined) return a ?? b;
  return RISK_TIERS.indexOf(a) < RISK_TIERS.indexOf(b) ? a : b;
};

const union = (a: readonly string[], b: readonly string[]): readonly string[] =>
  a.length === 0 ? b : b.length === 0 ? a : [...new Set([...a, ...b])];
