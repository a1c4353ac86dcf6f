/**
 * The principal that a credential makes its holder at a door. What a key may do goes to whoever acts with it; roles, and what
 * `auth.principals` says about a person, stay the person's own when a program acts for it.
 */
import type { Door, Principal } from "../../kernel/principal.ts";
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
