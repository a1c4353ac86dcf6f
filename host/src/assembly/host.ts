/**
 * The host as a program sees it. The CLI and the listeners are built on this and on nothing else.
 */
import type { Readable, Writable } from "node:stream";
import type { Config } from "@bailiwick/contract";
import type {
  Acceptance,
  BundleAdmin,
  BundleDetail,
  BundleSearch,
  BundleSeen,
  InstallProgress,
  Reloaded,
  Uninstalled,
} from "../kernel/bundle-admin.ts";
import type { Answer } from "../kernel/call.ts";
import type { KeyRow, NewKey } from "../kernel/key.ts";
import type { HostInfo } from "../kernel/host-info.ts";
import type { ProviderState, ProviderStatus } from "../kernel/provider.ts";
import type { ToolRow } from "../kernel/surface.ts";

export interface CallOptions {
  /** `kind:name`; default: the local person. */
  readonly principal?: string;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: { progress?: number; total?: number; message?: string }) => void;
}

export interface ListenOptions {
  readonly host?: string;
  readonly port?: number;
  /** Loopback only: every request is the local user's. */
  readonly noAuth?: boolean;
}

export interface StdioOptions {
  readonly input: Readable;
  readonly output: Writable;
  /** One provider under its own names; default: all. */
  readonly provider?: string | undefined;
  /** Ends it: calls are aborted and have a moment to be answered. */
  readonly signal?: AbortSignal;
}

export interface Listening {
  /** `http://127.0.0.1:7420` */
  readonly origin: string;
  readonly mcpUrl: string;
}

export interface ProviderRow {
  readonly name: string;
  readonly status: ProviderStatus;
  readonly tools: number;
}

export interface Keys {
  /** The secret is in the answer once and nowhere else. */
  create(key: NewKey): Promise<{ readonly secret: string; readonly row: KeyRow }>;
  list(): Promise<readonly KeyRow[]>;
  /** Refusal `not_found` for an unknown name. */
  revoke(name: string): Promise<KeyRow>;
}

export interface BundleState {
  readonly name: string;
  readonly status: ProviderState;
}

/** `BundleAdmin` for one who is known beforehand, in one workspace. What names one bundle throws Refusal `not_found`. */
export interface BundleControl {
  /** Says what state it is in now; it comes up by itself. Changes nothing where it runs, starts or recovers already. */
  start(name: string): Promise<BundleState>;
  /** Resolves when no process of it is left. */
  stop(name: string): Promise<BundleState>;
  restart(name: string): Promise<BundleState>;
  list(): Promise<readonly BundleSeen[]>;
  inspect(name: string): Promise<BundleDetail>;
  /** The last lines its process wrote for people, oldest first. */
  logs(name: string): Promise<readonly string[]>;
  /** `entry` as it would stand in the configuration. Resolves when it is written there and the bundle is running. */
  install(entry: BundleOrder, onProgress?: (progress: InstallProgress) => void): Promise<BundleSeen>;
  /** Its data stays. Refusal `protected`. */
  uninstall(name: string): Promise<Uninstalled>;
  /** Refusal `stale_surface` where a definition is not what was looked at any more; then nothing is accepted. */
  accept(name: string, yes: Acceptance): Promise<Accepted>;
  /** Stores values of the manifest's `user_config` and starts the bundle again. A null takes a value out. */
  configure(name: string, values: Readonly<Record<string, unknown>>): Promise<Configured>;
  search(query: string, limit: number): Promise<BundleSearch>;
  reload(): Promise<Reloaded>;
}

export type BundleOrder = Parameters<BundleAdmin["install"]>[0];
export type Accepted = Awaited<ReturnType<BundleAdmin["accept"]>>;
export type Configured = Awaited<ReturnType<BundleAdmin["configure"]>>;

export interface Host {
  readonly info: HostInfo;
  readonly config: Config;
  readonly workDir: string;
  /** Opens the store, recovers open calls, starts providers without waiting for them. */
  start(): Promise<void>;
  /** Opens the doors; may be called before `start`, then calls wait for it. */
  listen(options?: ListenOptions): Promise<Listening>;
  /**
   * Speaks MCP on a pipe as the local user, until its input has ended and all is answered, or nobody reads any more. Rejects
   * with Refusal `not_found` for a provider that there is not, so call it after `start`.
   */
  stdio(options: StdioOptions): Promise<void>;
  stop(): Promise<void>;
  providers(): readonly ProviderRow[];
  onProviderChange(listener: () => void): () => void;
  tools(query?: string): readonly ToolRow[];
  call(name: string, args: Readonly<Record<string, unknown>>, options?: CallOptions): Promise<Answer>;
  readonly keys: Keys;
  readonly bundles: BundleControl;
}
