/**
 * The principal that a credential makes its holder at a door. What a key may do goes to whoever acts with it; roles, and what
 * `auth.principals` says about a person, stay the person's own when a program acts for it.
 */
import { covers } from "../../kernel/covers.ts";
import type { Actor, Door, PresentedAgent, Principal } from "../../kernel/principal.ts";
import type { RiskTier } from "../../kernel/risk-tier.ts";
import { DEFAULT_WORKSPACE } from "../../kernel/workspace.ts";
import type { Credential } from "./credential.ts";
import { kindOf, parsePrincipal } from "./parse-principal.ts";
import { joinFacts, lowestTier, type PrincipalBook, type PrincipalFacts } from "./principal-book.ts";

/** What calls at an MCP door with a person's key is a program. */
export const MCP_CLIENT = "agent:mcp-client";

export const OWNER = "person:owner";

export const isBehindClient = (id: string, door: Door): boolean => door === "mcp" && kindOf(id) === "person";

/** Nobody takes a higher risk for somebody than that one may take. */
const bounded = (own: PrincipalFacts, other: PrincipalFacts | null): Pick<Principal, "clearance" | "maxRiskTier"> => {
  const maxRiskTier = lowestTier(own.maxRiskTier, other?.maxRiskTier);
  return {
    ...(own.clearance === undefined ? {} : { clearance: own.clearance }),
    ...(maxRiskTier === undefined ? {} : { maxRiskTier }),
  };
};

/** What a credential gives the principal that it is made out to. */
export const factsOfKey = (key: Credential, book: PrincipalBook): PrincipalFacts => {
  const roles = key.as === OWNER ? ["owner", ...(key.roles ?? [])] : (key.roles ?? []);
  return joinFacts({ roles, permissions: key.permissions }, book.entryOf(key.as));
};

export const principalOfKey = (key: Credential, door: Door, book: PrincipalBook): Principal => {
  const behindClient = isBehindClient(key.as, door);
  const id = behindClient ? MCP_CLIENT : key.as;
  const onBehalfOf = behindClient ? key.as : key.for;
  const own = behindClient
    ? joinFacts({ roles: [], permissions: key.permissions }, book.entryOf(id))
    : factsOfKey(key, book);
  return {
    id,
    kind: kindOf(id),
    onBehalfOf,
    roles: own.roles,
    permissions: own.permissions,
    assurance: "credential",
    scopes: key.scopes,
    workspace: key.workspace,
    credentialId: key.name,
    ...bounded(own, onBehalfOf === null ? null : book.factsOf(onBehalfOf)),
    ...(key.subject && !behindClient ? { subject: key.subject } : {}),
  };
};

/** Who is at the machine itself. */
export const localPrincipal = (id: string, onBehalfOf: string | null, book: PrincipalBook): Principal => {
  const own = book.factsOf(id);
  return {
    id,
    kind: parsePrincipal(id)?.kind ?? "person",
    onBehalfOf,
    roles: own.roles,
    permissions: own.permissions,
    assurance: "local",
    scopes: null,
    workspace: DEFAULT_WORKSPACE,
    credentialId: "local",
    ...bounded(own, onBehalfOf === null ? null : book.factsOf(onBehalfOf)),
  };
};

/**
 * The host's own agent, or a delegate of it, for whoever holds a key. For a person it is what a client with the person's key
 * would be; for anybody else it is that one under another name, with nothing added. A delegate may no more than every agent
 * before it.
 */
export const agentOfKey = (key: Credential, named: AgentNamed, { book, holder }: AgentSources): Principal => {
  const given = kindOf(key.as) === "person" ? key.permissions : null;
  const behind = principalOfKey(key, "program", book);
  return { ...withoutOwn(behind), ...agentFacts(named, { book, holder, behind, given }) };
};

/** The same for who is at the machine itself. */
export const localAgent = (behind: Principal, named: AgentNamed, { book, holder }: AgentSources): Principal => ({
  ...withoutOwn(localPrincipal(named.id, behind.onBehalfOf ?? behind.id, book)),
  ...agentFacts(named, { book, holder, behind, given: behind.kind === "person" ? behind.permissions : null }),
});

type AgentNamed = Pick<PresentedAgent, "id" | "chain">;

interface AgentSources {
  readonly book: PrincipalBook;
  /** Who stood at the door: a person, or the program that called. */
  readonly holder: Principal;
}

interface Behind extends AgentSources {
  /** The same one, wherever it stands. */
  readonly behind: Principal;
  /** What a person's key gives; null: it is nobody's own. */
  readonly given: readonly string[] | null;
}

const agentFacts = ({ id, chain }: AgentNamed, { book, holder, behind, given }: Behind) => {
  const caller = given === null || holder.kind === "person" ? [] : [holder.id];
  const agents = [id, ...chain, ...caller].map((each) => book.entryOf(each));
  const permissions =
    given === null
      ? behind.permissions
      : agents.map((facts) => joinFacts({ roles: [], permissions: given }, facts).permissions).reduce(commonTo);
  const maxRiskTier = [behind, ...agents].reduce<RiskTier | undefined>(
    (lowest, each) => lowestTier(lowest, each.maxRiskTier),
    undefined,
  );
  const [own, ...others] =
    given === null ? [behind, ...agents.filter((each) => each.clearance !== undefined)] : [...agents, behind];
  const clearances = others.map(({ clearance }) => clearance ?? null);
  const between: readonly Actor[] = [
    ...(holder.kind === "person" ? [] : [actorOf(holder)]),
    ...chain.map((each) => ({ id: each, isOurs: true as const })),
  ];
  return {
    id,
    kind: "agent" as const,
    onBehalfOf: behind.onBehalfOf ?? behind.id,
    roles: given === null || chain.length > 0 ? [] : (agents[0]?.roles ?? []),
    permissions,
    ...(own?.clearance === undefined ? {} : { clearance: own.clearance }),
    ...(clearances.length === 0 ? {} : { clearances }),
    ...(maxRiskTier === undefined ? {} : { maxRiskTier }),
    ...(between.length === 0 ? {} : { chain: between }),
  };
};

const actorOf = ({ id, subject }: Principal): Actor => ({ id, ...(subject === undefined ? {} : { subject }) });

/** What both cover. */
const commonTo = (a: readonly string[], b: readonly string[]): readonly string[] => [
  ...new Set([...a.filter((each) => covers(b, each)), ...b.filter((each) => covers(a, each))]),
];

/** How it is named and how far it may see is its own: an agent of it has that from `agentFacts`. */
const withoutOwn = (principal: Principal): Principal => {
  const { subject: _subject, clearance: _clearance, ...rest } = principal;
  return rest;
};
