/**
 * The host as a program sees it. The CLI and the listeners are built on this and on nothing else.
 */
import type { Readable, Writable } from "node:stream";
import type { Config } from "@bailiwick/contract";
import type { ChatControl } from "./chat-control.ts";
import type { EvidenceControl } from "./evidence-control.ts";
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
import type { ApprovalRecord, ApprovalState, NewStandingApproval, StandingApproval } from "../kernel/approvals.ts";
import type { Answer } from "../kernel/call.ts";
import type { CapabilitiesChange, DeclaredCapabilities } from "../kernel/environment.ts";
import type { Purged, PurgeAsked, RedactionAsked, Redacted } from "../kernel/evidence-removal.ts";
import type { Explanation } from "../kernel/explanation.ts";
import type { HostKeyRow } from "../kernel/host-keys.ts";
import type { KeyRow, NewKey } from "../kernel/key.ts";
import type { HostInfo } from "../kernel/host-info.ts";
import type { PolicyReport } from "../kernel/policy-report.ts";
import type { ProviderState, ProviderStatus } from "../kernel/provider.ts";
import type { RootsSeen } from "../kernel/roots-seen.ts";
import type { PackageDetail, SkillFilter, SkillSeen } from "../kernel/skill-admin.ts";
import type { Surface, ToolRow } from "../kernel/surface.ts";

export interface CallOptions {
  /** `kind:name`; default: the local person. */
  readonly principal?: string;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: { progress?: number; total?: number; message?: string }) => void;
  /** The same key is the same call: whoever repeats it gets the answer that was recorded. */
  readonly idempotencyKey?: string;
  /** For how long it waits for a person's decision; default: not at all. */
  readonly approvalWaitMs?: number;
}

export interface ExplainOptions {
  /** For whom, `kind:name`; default: whoever asks. */
  readonly as?: string;
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
  /** The mount on this address, and the address of CHP's own if it has one. */
  readonly chpUrls: readonly string[];
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

/** `Approvals` for one who is known beforehand. */
export interface ApprovalControl {
  /** Newest first; those that one may decide or has asked for. */
  list(state?: ApprovalState): Promise<readonly ApprovalRecord[]>;
  /** Refusal `not_found` for one that is not to be seen. */
  get(id: string): Promise<ApprovalRecord>;
  decide(id: string, order: { readonly approve: boolean; readonly reason?: string }): Promise<ApprovalRecord>;
  cancel(id: string): Promise<ApprovalRecord>;
  standing(): Promise<readonly StandingApproval[]>;
  grantStanding(order: NewStandingApproval): Promise<StandingApproval>;
  revokeStanding(id: string): Promise<StandingApproval>;
}

/** The keys that the host signs with. */
export interface HostKeyControl {
  list(): Promise<readonly HostKeyRow[]>;
  rotate(): Promise<HostKeyRow>;
  revoke(order: { readonly keyId: string; readonly reason: string }): Promise<HostKeyRow>;
}

/** `EvidenceRemoval` for one who is known beforehand. */
export interface RemovalControl {
  purge(order: PurgeAsked): Promise<Purged>;
  redact(order: RedactionAsked): Promise<Redacted>;
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

/** Environment capabilities, for one who is known beforehand. */
export interface CapabilityControl {
  list(): Promise<DeclaredCapabilities>;
  /** Replaces the host's list; recorded before it is in force. `before`: as `EnvironmentAdmin` has it. */
  declare(declared: readonly string[], before?: readonly string[]): Promise<CapabilitiesChange>;
}

/** `SkillAdmin` for one who is known beforehand, in one workspace. */
export interface SkillControl {
  list(filter?: SkillFilter): Promise<readonly SkillSeen[]>;
  /** About files that were skipped or are odd: sentences that name the file and what to do. */
  warnings(): Promise<readonly string[]>;
  /** Refusal `not_found`. */
  get(name: string): Promise<SkillSeen | PackageDetail>;
  /** `digest`: the one that was looked at; Refusal `stale_surface` where it is another one by now. */
  accept(name: string, digest: string): Promise<PackageDetail>;
}

/** The folders that tools may work in when the caller announces none. */
export interface RootControl {
  list(): Promise<RootsSeen>;
  /** The absolute path. Refusal of the kind that `WorkspaceResolveError` has. */
  resolve(path: string): Promise<string>;
}

/** As `Surface.rows` has it. */
export type ToolFilter = Parameters<Surface["rows"]>[1];

export interface Host extends ChatControl {
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
  tools(query?: string, filter?: ToolFilter): readonly ToolRow[];
  call(name: string, args: Readonly<Record<string, unknown>>, options?: CallOptions): Promise<Answer>;
  /** What would become of a call, stage by stage, with nothing done. */
  explain(name: string, args: Readonly<Record<string, unknown>>, options?: ExplainOptions): Promise<Explanation>;
  readonly approvals: ApprovalControl;
  readonly evidence: EvidenceControl;
  policy(): Promise<PolicyReport>;
  readonly keys: Keys;
  readonly hostKeys: HostKeyControl;
  readonly removal: RemovalControl;
  readonly bundles: BundleControl;
  readonly capabilities: CapabilityControl;
  readonly skills: SkillControl;
  readonly roots: RootControl;
}
