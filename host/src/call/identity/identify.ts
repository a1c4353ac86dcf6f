/**
 * Stage 2. Turns what a door was shown into a verified principal, in the workspace of its credential or in another one that
 * it is a member of. A person's key behind an MCP client acts as an agent on behalf of that person, because what calls
 * there is a program.
 */
import type { RawCall } from "../../kernel/call.ts";
import type { KeyRow } from "../../kernel/key.ts";
import type { Door, Identify, Presented, Principal, PrincipalKind } from "../../kernel/principal.ts";
import { Refusal } from "../../kernel/refusal.ts";
import { advance, type Identified } from "../../kernel/stages.ts";
import { unknownWorkspace } from "../../kernel/unknown-workspace.ts";
import { DEFAULT_WORKSPACE, type IsMember } from "../../kernel/workspace.ts";

/** What a key or a token says about whoever holds it. */
export interface Credential extends Omit<KeyRow, "createdAt" | "revokedAt"> {
  /** What the issuer of a token says; keys have none. */
  readonly roles?: readonly string[];
}

export interface IdentifyOptions {
  /** The live key or admitted token behind a secret, in constant time of its own; null for unknown and revoked ones. */
  readonly findKey: (secret: string) => Credential | null;
  /** `serve --no-auth`: whoever reaches the listener is the local user. */
  readonly noAuth: () => boolean;
  /** Asked for every workspace but the default one of a credential of it: a key outlives neither workspace nor membership. */
  readonly isMember: IsMember;
}

const KINDS: ReadonlySet<string> = new Set(["person", "agent", "service", "bundle", "app"]);
const OWNER = "person:owner";

/** Both spellings, `agent:x` and `agent://x`; null for anything else. */
export const parsePrincipal = (text: string): { kind: PrincipalKind; id: string } | null => {
  const match = /^([a-z]+):(?:\/\/)?([A-Za-z0-9][A-Za-z0-9._@/-]{0,127})$/.exec(text);
  return match && KINDS.has(match[1]!) ? { kind: match[1] as PrincipalKind, id: `${match[1]}:${match[2]}` } : null;
};

const kindOf = (id: string): PrincipalKind => {
  const kind = id.slice(0, id.indexOf(":"));
  return KINDS.has(kind) ? (kind as PrincipalKind) : "agent";
};

const local = (id: string, onBehalfOf: string | null): Principal => ({
  id,
  kind: parsePrincipal(id)?.kind ?? "person",
  onBehalfOf,
  roles: id === OWNER ? ["owner"] : [],
  permissions: id === OWNER || id === "person:local" ? ["*"] : [],
  assurance: "local",
  scopes: null,
  workspace: DEFAULT_WORKSPACE,
  credentialId: "local",
});

const ofKey = (key: Credential, door: Door): Principal => {
  const kind = kindOf(key.as);
  const behindClient = door === "mcp" && kind === "person";
  return {
    id: behindClient ? "agent:mcp-client" : key.as,
    kind: behindClient ? "agent" : kind,
    onBehalfOf: behindClient ? key.as : key.for,
    roles: key.as === OWNER ? ["owner"] : (key.roles ?? []),
    permissions: key.permissions,
    assurance: "credential",
    scopes: key.scopes,
    workspace: key.workspace,
    credentialId: key.name,
  };
};

export const createIdentify = (options: IdentifyOptions): Identify => {
  const known = new WeakMap<Credential, Map<Door, Principal>>();
  const cached = (key: Credential, door: Door): Principal => {
    const doors = known.get(key) ?? new Map<Door, Principal>();
    const principal = doors.get(door) ?? ofKey(key, door);
    known.set(key, doors.set(door, principal));
    return principal;
  };
  const noAuthAgent = local("agent:local", "person:local");
  const noAuthPerson = local("person:local", null);
  const owner = local(OWNER, null);

  const ownWorkspace = (presented: Presented, door: Door): Principal | null => {
    if (presented.kind === "local") return presented.principal ? local(presented.principal, OWNER) : owner;
    if (options.noAuth()) return door === "mcp" ? noAuthAgent : noAuthPerson;
    if (presented.kind === "none") return null;
    const key = options.findKey(presented.token);
    return key && cached(key, door);
  };

  /** Each principal as it is elsewhere; only where it is a member, so there are no more than workspaces. */
  const elsewhere = new WeakMap<Principal, Map<string, Principal>>();
  const enter = (principal: Principal, workspace: string): Principal | null => {
    // Who is at the machine itself owns the work directory, and so every workspace in it.
    if (!options.isMember(workspace, principal.assurance === "local" ? owner : principal)) return null;
    if (workspace === principal.workspace) return principal;
    const places = elsewhere.get(principal) ?? new Map<string, Principal>();
    const there = places.get(workspace) ?? { ...principal, workspace };
    elsewhere.set(principal, places.set(workspace, there));
    return there;
  };

  const identify = (presented: Presented, door: Door): Principal | null => {
    const principal = ownWorkspace(presented, door);
    if (principal === null) return null;
    const { workspace = principal.workspace } = presented;
    const isOwnDefault = workspace === DEFAULT_WORKSPACE && principal.workspace === DEFAULT_WORKSPACE;
    return isOwnDefault ? principal : enter(principal, workspace);
  };
  // Which door it is makes no difference to that.
  return Object.assign(identify, { knows: (presented: Presented) => ownWorkspace(presented, "program") !== null });
};

/** A body may be long in coming: what the door found before it is believed for this long. */
const BELIEVED_MS = 1_000;

export const createIdentity =
  (identify: Identify) =>
  (call: RawCall): Identified => {
    const { verified } = call;
    const recent = verified !== null && Date.now() - verified.at < BELIEVED_MS;
    const principal = recent ? verified.principal : identify(call.presented, call.door);
    if (!principal) {
      if (identify.knows(call.presented)) throw unknownWorkspace();
      throw new Refusal("unauthenticated", {
        message: "This credential is unknown or was revoked.",
        next: "Send `Authorization: Bearer <key>`; `bailiwick key create --name <name>` makes a key.",
      });
    }
    return advance(call, { principal });
  };
