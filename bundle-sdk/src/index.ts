/** What the author of a bundle imports. A plain MCP server needs nothing from here. */
export { host, type Host, type ListFilter } from "./host.ts";
export type {
  CtxLike,
  ExtraLike,
  HostContext,
  HostRequest,
  McpServerLike,
  PlainContext,
  ServerLike,
} from "./host-context.ts";
export { HOST_RESOURCES } from "./host-resources-key.ts";
export { HostCapabilityMissing } from "./host-capability-missing.ts";
export { HostResourceError, type HostResourceFault } from "./host-resource-error.ts";
export { InvalidParams } from "./invalid-params.ts";
export { RateLimited } from "./rate-limited.ts";
export type { HostResource, HostResourceContents, ListResult, ReadResult } from "./read-answer.ts";
export { ResourceNotFound } from "./resource-not-found.ts";
export { ResponseTooLarge } from "./response-too-large.ts";
export { WorkspaceRoots, type RootEntry, type RootLike, type WorkspaceRootsOptions } from "./workspace-roots.ts";
export { CAPABILITY_MISSING, NO_WORKSPACE_ROOTS, WorkspaceResolveError } from "@bailiwick/contract/roots";
export type { PathProfile, ResolveFault } from "@bailiwick/contract/roots";
