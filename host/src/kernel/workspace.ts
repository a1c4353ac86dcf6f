/** The wall around files, bundles, credentials and members. Everything of a workspace lies in its own folder. */
import type { Principal } from "./principal.ts";

export const DEFAULT_WORKSPACE = "ws_default";

const WORKSPACE_ID = /^ws_[a-z0-9_]{1,64}$/;

export const isWorkspaceId = (text: string): boolean => WORKSPACE_ID.test(text);

/** Whether somebody belongs to a workspace; false too for one that there is not, so that nobody can tell the two apart. */
export type IsMember = (workspace: string, who: Pick<Principal, "id" | "onBehalfOf" | "permissions">) => boolean;
