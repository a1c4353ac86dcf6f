/**
 * Who approved in advance: kept as its credential made it, and judged with what is configured about it at the time of each
 * use, so that nobody's word outlives the power to give it.
 */
import type { Principal } from "../../kernel/principal.ts";
import { DEFAULT_WORKSPACE, type IsMember } from "../../kernel/workspace.ts";
import type { Decider } from "./who-decides.ts";

export interface GranterOptions {
  /** What is configured about somebody now. */
  readonly factsOf: (id: string) => Pick<Principal, "roles" | "permissions">;
  readonly isMember: IsMember;
}

const without = (all: readonly string[], some: readonly string[]): readonly string[] =>
  all.filter((each) => !some.includes(each));

export const keepGranter = (by: Principal, { factsOf }: GranterOptions): Decider => {
  const { id, kind, onBehalfOf, workspace } = by;
  const facts = factsOf(id);
  const roles = without(by.roles, facts.roles);
  return { id, kind, onBehalfOf, workspace, roles, permissions: without(by.permissions, facts.permissions) };
};

/** Null: it does not belong to the workspace any more. */
export const granterNow = (granter: Decider, { factsOf, isMember }: GranterOptions): Decider | null => {
  const { roles, permissions } = factsOf(granter.id);
  const now = {
    ...granter,
    roles: [...granter.roles, ...roles],
    permissions: [...granter.permissions, ...permissions],
  };
  return granter.workspace === DEFAULT_WORKSPACE || isMember(granter.workspace, now) ? now : null;
};
