/** A principal as it is in another workspace than its credential's own; null: it is no member there. */
import type { Principal } from "../../kernel/principal.ts";
import type { IsMember } from "../../kernel/workspace.ts";

export interface EnterOptions {
  readonly isMember: IsMember;
  /** Who is at the machine itself owns the work directory, and so every workspace in it. */
  readonly owner: Principal;
  /** Told of each principal that is made, with the one that it was made of. */
  readonly made: (there: Principal, here: Principal) => void;
}

export type EnterWorkspace = (principal: Principal, workspace: string) => Principal | null;

/** The same object each time; only where it is a member, so there are no more than workspaces. */
export const createEnterWorkspace = ({ isMember, owner, made }: EnterOptions): EnterWorkspace => {
  const elsewhere = new WeakMap<Principal, Map<string, Principal>>();
  return (principal, workspace) => {
    if (!isMember(workspace, principal.assurance === "local" ? owner : principal)) return null;
    if (workspace === principal.workspace) return principal;
    const places = elsewhere.get(principal) ?? new Map<string, Principal>();
    const known = places.get(workspace);
    if (known !== undefined) return known;
    const there = { ...principal, workspace };
    made(there, principal);
    elsewhere.set(principal, places.set(workspace, there));
    return there;
  };
};
