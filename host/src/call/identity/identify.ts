/**
 * Stage 2. Turns what a door was shown into a verified principal, in the workspace of its credential or in another one that
 * it is a member of. A person's key behind an MCP client acts as an agent on behalf of that person, because what calls
 * there is a program.
 */
import type { RawCall } from "../../kernel/call.ts";
import type { Door, Identify, Presented, PresentedAgent, Principal } from "../../kernel/principal.ts";
import { Refusal } from "../../kernel/refusal.ts";
import { advance, type Identified } from "../../kernel/stages.ts";
import { unknownWorkspace } from "../../kernel/unknown-workspace.ts";
import { verifiedPrincipal } from "../../kernel/verified-principal.ts";
import { DEFAULT_WORKSPACE, type IsMember } from "../../kernel/workspace.ts";
import type { Credential } from "./credential.ts";
import { createEnterWorkspace } from "./enter-workspace.ts";
import { createFindCredential, type CredentialOptions } from "./find-credential.ts";
import { createNamed, type NamedBy } from "./named-principal.ts";
import { parsePrincipal } from "./parse-principal.ts";
import { createPrincipalBook, type PrincipalEntries, type PrincipalFacts } from "./principal-book.ts";
import {
  agentOfKey,
  factsOfKey,
  isBehindClient,
  localAgent,
  localPrincipal,
  MCP_CLIENT,
  OWNER,
  principalOfKey,
} from "./principal-of.ts";

export type { Credential } from "./credential.ts";

export interface IdentifyOptions extends CredentialOptions {
  /** `serve --no-auth`: whoever reaches the listener is the local user. */
  readonly noAuth: () => boolean;
  /** Asked for every workspace but the default one of a credential of it: a key outlives neither workspace nor membership. */
  readonly isMember: IsMember;
  /** `auth.principals`; absent: nobody has anything but by a key. */
  readonly principals?: PrincipalEntries;
}

export interface Identifier extends Identify {
  /** What `auth.principals` says about somebody, by id. */
  factsOf(id: string): PrincipalFacts;
  /** Somebody who is named, in the workspace of whoever asks; null: that is nobody's name. */
  named(name: string, by: NamedBy): Principal | null;
  /** The same about the one that a principal acts for, with what a key gave it; null: it acts for itself. */
  factsBehind(principal: Principal): PrincipalFacts | null;
}

export const createIdentify = (options: IdentifyOptions): Identifier => {
  const book = createPrincipalBook(options.principals ?? {});
  const findCredential = createFindCredential(options, book);
  const known = new WeakMap<Credential, Map<Door, Principal>>();
  /** Only where a key gave the one behind something that the book does not know of. */
  const behind = new WeakMap<Principal, PrincipalFacts>();
  const cached = (key: Credential, door: Door): Principal => {
    const earlier = known.get(key)?.get(door);
    if (earlier !== undefined) return earlier;
    const principal = principalOfKey(key, door, book);
    if (isBehindClient(key.as, door)) behind.set(principal, factsOfKey(key, book));
    known.set(key, (known.get(key) ?? new Map<Door, Principal>()).set(door, principal));
    return principal;
  };
  const noAuthAgent = localPrincipal("agent:local", "person:local", book);
  const noAuthPerson = localPrincipal("person:local", null, book);
  const owner = localPrincipal(OWNER, null, book);
  /** The program in front of the owner's own terminal: what the owner's key makes it elsewhere. */
  const ownersClient = { ...localPrincipal(MCP_CLIENT, OWNER, book), permissions: owner.permissions };

  const agents = new WeakMap<object, Map<string, Principal>>();
  /** The same object each time. `of`: whom or what it is made of. */
  const agentOf = (of: object, { id, chain }: PresentedAgent, make: () => Principal): Principal => {
    const named = agents.get(of) ?? new Map<string, Principal>();
    const name = JSON.stringify([id, chain]);
    const principal = named.get(name) ?? make();
    agents.set(of, named.set(name, principal));
    return principal;
  };
  const ownAgent = (presented: PresentedAgent): Principal | null => {
    if (presented.behind.kind === "local" || options.noAuth()) {
      const person = ownWorkspace(presented.behind, presented.door === "mcp" ? "program" : presented.door);
      const holder = person && ownWorkspace(presented.behind, presented.door);
      return holder && agentOf(holder, presented, () => localAgent(person, presented, { book, holder }));
    }
    const key = findCredential(presented.behind, presented.door);
    if (key === null) return null;
    const holder = cached(key, presented.door);
    const agent = agentOf(holder, presented, () => agentOfKey(key, presented, { book, holder }));
    if (parsePrincipal(key.as)?.kind === "person") behind.set(agent, factsOfKey(key, book));
    return agent;
  };

  const ownWorkspace = (presented: Presented, door: Door): Principal | null => {
    if (presented.kind === "agent") return ownAgent(presented);
    if (presented.kind === "local") {
      if (presented.principal) return localPrincipal(presented.principal, OWNER, book);
      return door === "mcp" ? ownersClient : owner;
    }
    if (options.noAuth()) return door === "mcp" ? noAuthAgent : noAuthPerson;
    const key = findCredential(presented, door);
    return key && cached(key, door);
  };
  const made = (there: Principal, here: Principal): void => {
    const facts = behind.get(here);
    if (facts) behind.set(there, facts);
  };
  const enter = createEnterWorkspace({ isMember: options.isMember, owner, made });

  const identify = (presented: Presented, door: Door): Principal | null => {
    const principal = ownWorkspace(presented, door);
    if (principal === null) return null;
    const { workspace = principal.workspace } = presented.kind === "agent" ? presented.behind : presented;
    const isOwnDefault = workspace === DEFAULT_WORKSPACE && principal.workspace === DEFAULT_WORKSPACE;
    return isOwnDefault ? principal : enter(principal, workspace);
  };
  const findNamed = createNamed({ identify, principalOf: cached, held: findCredential.held });
  return Object.assign(identify, {
    // Which door it is makes a difference to a token of CHP alone.
    knows: (presented: Presented) => (ownWorkspace(presented, "program") ?? ownWorkspace(presented, "chp")) !== null,
    factsOf: (id: string) => book.factsOf(id),
    named: (name: string, by: NamedBy) => {
      const principal = findNamed(name, by);
      if (principal === null || principal.workspace === by.asker.workspace) return principal;
      const there = { ...principal, workspace: by.asker.workspace };
      made(there, principal);
      return there;
    },
    factsBehind: (principal: Principal) =>
      behind.get(principal) ?? (principal.onBehalfOf === null ? null : book.factsOf(principal.onBehalfOf)),
  });
};

export const createIdentity =
  (identify: Identify) =>
  (call: RawCall): Identified => {
    const principal = verifiedPrincipal(identify, call);
    if (!principal) {
      if (identify.knows(call.presented)) throw unknownWorkspace();
      throw new Refusal("unauthenticated", {
        message: "This credential is unknown or was revoked.",
        next: "Send `Authorization: Bearer <key>`; `bailiwick key create --name <name>` makes a key.",
      });
    }
    return advance(call, { principal });
  };
