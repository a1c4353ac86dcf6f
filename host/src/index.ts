/** What a program imports: `import { createHost } from "bailiwick"`. */
export { ConfigError } from "./assembly/config-error.ts";
export type {
  BundleControl,
  BundleOrder,
  BundleState,
  CallOptions,
  Host,
  Keys,
  Listening,
  ListenOptions,
  ProviderRow,
  StdioOptions,
} from "./assembly/host.ts";
export { createHost, type ConfigObject } from "./assembly/open-host.ts";
export type { BundleDetail, BundleSeen } from "./kernel/bundle-admin.ts";
export type { Answer, Ending } from "./kernel/call.ts";
export type { KeyRow, NewKey } from "./kernel/key.ts";
export { Refusal } from "./kernel/refusal.ts";
export type { ToolRow } from "./kernel/surface.ts";
