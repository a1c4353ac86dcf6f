/** The format of an argument that is a path of the workspace: the host resolves it, and the tool gets the absolute one. */
export const WORKSPACE_PATH = "workspace-path";
