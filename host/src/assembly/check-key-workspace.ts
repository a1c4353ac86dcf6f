/** A key for a workspace that there is not, or for who is no member of it, would open nothing: refused before it is made. */
import type { KeyRow } from "../kernel/key.ts";
import { Refusal } from "../kernel/refusal.ts";
import { DEFAULT_WORKSPACE } from "../kernel/workspace.ts";
import type { Workspaces } from "../workspace/workspaces.ts";

type Wanted = Pick<KeyRow, "as" | "for" | "permissions" | "workspace">;

export const checkKeyWorkspace = (key: Wanted, workspaces: Pick<Workspaces, "find" | "isMember">): void => {
  const { as, for: behalf, permissions, workspace } = key;
  if (workspace === DEFAULT_WORKSPACE) return;
  const file = `workspaces/${workspace}/workspace.json of the work directory`;
  if (workspaces.find(workspace) === null) {
    throw new Refusal("bad_request", {
      message: `There is no workspace ${workspace}.`,
      next: `Make ${file} first, or name another workspace.`,
    });
  }
  if (workspaces.isMember(workspace, { id: as, onBehalfOf: behalf, permissions })) return;
  const who = behalf === null ? [as] : [as, behalf];
  throw new Refusal("bad_request", {
    message: `The key would open nothing: ${workspace} has no member ${who.join(" or ")}.`,
    next: `Add ${who.map((each) => JSON.stringify(each)).join(" or ")} to "members" in ${file}, then create the key.`,
  });
};
