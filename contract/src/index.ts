/** Everything the package offers. Nothing here needs Node: the web client imports it too. */
export { configJsonSchema } from "./config/config-json-schema.ts";
export type { BundleEntry, Config, NameEntry, PathEntry, Sandbox, UrlEntry } from "./config/config.ts";
export { editDistance } from "./edit-distance.ts";
export type { Finding } from "./config/finding.ts";
export { formatFinding } from "./config/finding.ts";
export { nearest } from "./nearest.ts";
export { parseConfig } from "./config/parse-config.ts";
export type { ConfigReading, Dialect } from "./config/parse-config.ts";
export { deriveProviderName, findProviderNameFault, PROVIDER_NAME, RESERVED_PROVIDER_NAMES } from "./provider-name.ts";
export { unavailableFeatures } from "./config/unavailable-features.ts";
export type { UnavailableFeature } from "./config/unavailable-features.ts";
export { parseWorkspace } from "./workspace/parse-workspace.ts";
export type { WorkspaceReading } from "./workspace/parse-workspace.ts";
export type { WorkspaceConfig } from "./workspace/workspace-config.ts";
