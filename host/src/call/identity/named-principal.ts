/**
 * Somebody who is named and shows nothing: as their own credential would make them, were they to call. Several keys of one
 * principal may differ; the first that is live stands for them.
 */
import type { Door, Presented, Principal, PrincipalKind } from "../../kernel/principal.ts";
import { DEFAULT_WORKSPACE } from "../../kernel/workspace.ts";
import type { Credential } from "./credential.ts";
import { parsePrincipal } from "./parse-principal.ts";
import { MCP_CLIENT, OWNER } from "./principal-of.ts";

/** Who asks, and where. */
export interface NamedBy {
  readonly asker: Principal;
  readonly presented: Presented;
  readonly door: Door;
  /** The host's own live keys. */
  readonly keys: readonly Credential[];
}

export interface NamedOptions {
  readonly identify: (presented: Presented, door: Door) => Principal | null;
  readonly principalOf: (credential: Credential, door: Door) => Principal;
  /** Keys and tokens of CHP. */
  readonly held: readonly Credential[];
}

/** In either spelling, or by the bare name of a key or token of CHP; null: that is nobody's name. */
export type FindNamed = (name: string, by: NamedBy) => Principal | null;

export const createNamed =
  ({ identify, principalOf, held }: NamedOptions): FindNamed =>
  (name, { asker, presented, door, keys }) => {
    const parsed = parsePrincipal(name);
    if (parsed === null) {
      const bare = held.find(({ subject }) => subject?.id === name);
      return bare === undefined ? null : principalOf(bare, door);
    }
    const { id, kind } = parsed;
    const person = asker.kind === "person" ? asker.id : asker.onBehalfOf;
    const credentialOf = (of: string, behalf: string | null): Credential =>
      keys.find(({ as }) => as === of) ?? held.find(({ as }) => as === of) ?? unissued(of, behalf);
    if (id === MCP_CLIENT) {
      const own = identify(presented, "mcp");
      return own?.id === id ? own : principalOf(credentialOf(person ?? OWNER, null), "mcp");
    }
    return principalOf(credentialOf(id, behalfOf(kind, person)), door);
  };

/** An agent is made for the owner where nothing else is said; an app is whoever's looks at it. */
const behalfOf = (kind: PrincipalKind, person: string | null): string | null => {
  if (kind === "agent") return OWNER;
  return kind === "app" ? person : null;
};

/** What a name alone gives: no more than the configuration says about it. */
const unissued = (as: string, behalf: string | null): Credential => ({
  name: `as ${as}`,
  as,
  for: behalf,
  scopes: null,
  permissions: [],
  workspace: DEFAULT_WORKSPACE,
});
