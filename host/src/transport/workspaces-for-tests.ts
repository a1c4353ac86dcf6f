/** Workspaces for the tests of this room: one that all keys are of, and those that a test adds. */
import type { Principal } from "../kernel/principal.ts";
import { unknownWorkspace } from "../kernel/unknown-workspace.ts";
import type { WorkspaceOpening } from "./listener-deps.ts";

export const WORKSPACE = "default";

export interface StandInWorkspaces extends WorkspaceOpening {
  /** Those that there are beside it, each with the ids of its members. */
  readonly members: Map<string, readonly string[]>;
  /** In the order in which they were opened. */
  readonly opened: string[];
  /** Opening one waits for this. */
  held: Promise<void>;
  /** The same principal there; null for who is no member. */
  enter(principal: Principal, workspace: string): Principal | null;
}

export const standInWorkspaces = (): StandInWorkspaces => {
  const members: StandInWorkspaces["members"] = new Map();
  const opened: string[] = [];
  const workspaces: StandInWorkspaces = {
    members,
    opened,
    held: Promise.resolve(),
    enter: (principal, workspace) => {
      if (workspace === WORKSPACE && principal.workspace === WORKSPACE) return principal;
      return members.get(workspace)?.includes(principal.id) ? { ...principal, workspace } : null;
    },
    isOpen: (id) => id === WORKSPACE || opened.includes(id),
    open: async (id) => {
      await workspaces.held;
      if (!members.has(id)) throw unknownWorkspace();
      opened.push(id);
    },
  };
  return workspaces;
};
