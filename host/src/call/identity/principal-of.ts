/**
 * The principal that a credential makes its holder at a door. What a key may do goes to whoever acts with it; roles, and what
 * `auth.principals` says about a person, stay the person's own when a program acts for it.
 */
import type { Door, PresentedAgent, Principal } from "../../kernel/principal.ts";
import { DEFAULT_WORKSPACE } from "../../kernel/workspace.ts";
import type { Credential } from "./credential.ts";
import { kindOf, parsePrincipal } from "./parse-principal.ts";
import { joinFacts, lowestTier, type PrincipalBook, type PrincipalFacts } from "./principal-book.ts";

/** What calls at an MCP door with a person's key is a program. */
export const MCP_CLIENT = "agent:mcp-client";

export const OWNER = "person:owner";

export const isBehindClient = (id: string, door: Door): boolean => door === "mcp" && kindOf(id) === "person";

type Bounds = Pick<Principal, "clearance" | "maxRiskTier">;

/** Nobody takes a higher risk for somebody than that one may take. */
const bounded = (own: Bounds, other: Bounds | null): Pick<Principal, "clearance" | "maxRiskTier"> => {
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
 * The host's own agent, for whoever holds a key. For a person it is what a client with the person's key would be; for anybody
 * else it is that one under another name, with nothing added.
 */
export const agentOfKey = (key: Credential, { id, chain }: AgentNamed, book: PrincipalBook): Principal => {
  const forPerson = kindOf(key.as) === "person";
  const holder = principalOfKey(key, "program", book);
  const own = forPerson
    ? joinFacts({ roles: [], permissions: key.permissions }, book.entryOf(id))
    : { ...book.entryOf(id), roles: [], permissions: holder.permissions };
  const { subject: _, ...rest } = holder;
  return {
    ...rest,
    id,
    kind: "agent",
    onBehalfOf: holder.onBehalfOf ?? holder.id,
    roles: own.roles,
    permissions: own.permissions,
    ...bounded(own, holder),
    ...(chain.length === 0 ? {} : { chain }),
  };
};

/** The same for who is at the machine itself. */
export const localAgent = (behind: Principal, { id, chain }: AgentNamed, book: PrincipalBook): Principal => {
  const onBehalfOf = behind.onBehalfOf ?? behind.id;
  return {
    ...localPrincipal(id, onBehalfOf, book),
    kind: "agent",
    roles: [],
    permissions: joinFacts(behind, book.entryOf(id)).permissions,
    ...bounded(book.entryOf(id), behind),
    ...(chain.length === 0 ? {} : { chain }),
  };
};

type AgentNamed = Pick<PresentedAgent, "id" | "chain">;
