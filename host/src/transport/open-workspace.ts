/**
 * Has the caller's workspace opened before anything of it is looked at: its bundles start when a member first comes. Null
 * for everybody who need not wait.
 */
import type { IncomingMessage } from "node:http";
import { Refusal } from "../kernel/refusal.ts";
import type { Caller } from "./authenticate.ts";
import { callerLeft } from "./caller-left.ts";
import { asDoorRefusal, type DoorRefusal } from "./door-refusal.ts";
import type { ListenerDeps, WorkspaceOpening } from "./listener-deps.ts";

export const openWorkspace = (
  { workspaces }: Pick<ListenerDeps, "workspaces">,
  req: IncomingMessage,
  { principal }: Pick<Caller, "principal">,
): Promise<DoorRefusal | null> | null =>
  workspaces === undefined || workspaces.isOpen(principal.workspace)
    ? null
    : open(workspaces, req, principal.workspace);

const open = async (
  workspaces: WorkspaceOpening,
  req: IncomingMessage,
  workspace: string,
): Promise<DoorRefusal | null> => {
  try {
    await workspaces.open(workspace);
  } catch (no) {
    if (no instanceof Refusal) return asDoorRefusal(no);
    throw no;
  }
  // Whoever left in the meantime is not noticed by what listens from here on.
  return req.destroyed || req.socket.destroyed ? asDoorRefusal(callerLeft()) : null;
};
