/** Workspace roots alone, for those who start often and need nothing else of the package. */
export { isInside } from "./is-inside.ts";
export { readRootUri } from "./read-root-uri.ts";
export { resolveWorkspacePath } from "./resolve-workspace-path.ts";
export { CAPABILITY_MISSING, NO_WORKSPACE_ROOTS, WorkspaceResolveError } from "./roots.ts";
export type { PathFlavour, PathProfile, PathView, ResolveFault, WorkspaceRoot } from "./roots.ts";
