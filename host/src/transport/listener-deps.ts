/**
 * What the doors are handed. Everything here is verified, decided or recorded elsewhere; a door only reads requests,
 * hands calls on and writes answers.
 */
import type { Agent } from "../kernel/agent.ts";
import type { Approvals } from "../kernel/approvals.ts";
import type { Archive } from "../kernel/archive.ts";
import type { BundleAdmin } from "../kernel/bundle-admin.ts";
import type { HandleCall, RawCall, ShapeAnswer } from "../kernel/call.ts";
import type { EnvironmentAdmin } from "../kernel/environment.ts";
import type { EvidenceRemoval } from "../kernel/evidence-removal.ts";
import type { Explanation } from "../kernel/explanation.ts";
import type { NewKey } from "../kernel/key.ts";
import type { ExtensionPort } from "../kernel/host-extension.ts";
import type { HostKeys } from "../kernel/host-keys.ts";
import type { HostInfo } from "../kernel/host-info.ts";
import type { PolicyReport } from "../kernel/policy-report.ts";
import type { Identify, Principal } from "../kernel/principal.ts";
import type { RootList } from "../kernel/roots.ts";
import type { Seals } from "../kernel/seal.ts";
import type { SkillAdmin } from "../kernel/skill-admin.ts";
import type { Surfaces } from "../kernel/surface.ts";
import type { Tasks } from "../kernel/tasks.ts";
import type { WorkspaceEvents } from "../kernel/workspace-event.ts";
import type { OAuthAdmin } from "./oauth-admin.ts";
import type { StateCheck } from "./request-state.ts";
import type { TokenDoor } from "./token-door.ts";

export interface DoorLimits {
  /** `mcp.maxRequestBytes` */
  readonly maxRequestBytes: number;
  /** `files.maxFileSize` */
  readonly maxFileSize: number;
  /** `mcp.sessionIdleSeconds` */
  readonly sessionIdleSeconds: number;
  /** `mcp.holdSeconds`: how long a caller may take to answer a question. */
  readonly holdSeconds: number;
  /** `approvals.waitSeconds`: how long a call of MCP is held that waits for a person's decision. */
  readonly approvalWaitSeconds: number;
  /** `approvals.runWaitSeconds`: how long a run of the agent waits for one, where somebody follows it. */
  readonly runWaitSeconds: number;
  /** `mcp.allowedOrigins`: other sites whose pages may call. */
  readonly allowedOrigins: readonly string[];
  /** `http.allowedHosts`: names with or without a port. */
  readonly allowedHosts: readonly string[];
  /** `http.publicOrigin` */
  readonly publicOrigin: string | null;
}

export interface DoorTimings {
  /** How long a client may take to send its headers, and the whole request. */
  readonly headersMs: number;
  readonly requestMs: number;
  /** Silence after which an answer that is still out becomes a stream. */
  readonly silenceMs: number;
  /** Pause between the comments that keep a stream open. */
  readonly commentMs: number;
  /** Pause between the heartbeats of the events of a workspace. */
  readonly beatMs: number;
  /** How long closing waits for calls in flight. */
  readonly closeMs: number;
}

export interface DoorHealth {
  readonly status: string;
  readonly [check: string]: unknown;
}

/** Named API keys. The secret is in the answer of `create` once and nowhere else. `by` is who asked, for evidence. */
export interface KeyAdmin {
  /** Refusal `permission_missing` for a key that could more than its giver. */
  create(key: NewKey, giver: Principal): Promise<{ readonly secret: string; readonly row: object }>;
  list(): Promise<readonly object[]>;
  revoke(name: string, by: string): Promise<object>;
}

/** Bundles of another workspace than the default one start when a member first comes. */
export interface WorkspaceOpening {
  isOpen(workspace: string): boolean;
  /** Resolves when its providers are known, not when they run. Rejects with Refusal `not_found` where there is none. */
  open(workspace: string): Promise<void>;
}

/** What the CHP door is told of the configuration. */
export interface ChpSettings {
  /** `chp.mount`: the path on the main listener, `/chp`; null: it has none there. */
  readonly mount: string | null;
  /** `chp.publicDiscovery`: globs of flat tool names that anybody may find, without a credential. */
  readonly publicDiscovery: readonly string[];
  /** What the manifest's metadata says beside the name, `{"policy_mode":"audit"}` for one. Asked each time. */
  readonly metadata: () => Readonly<Record<string, unknown>>;
}

export interface ListenerDeps {
  readonly identify: Identify;
  /** Absent: there is one workspace, and it is open. */
  readonly workspaces?: WorkspaceOpening;
  readonly handleCall: HandleCall;
  readonly shape: ShapeAnswer;
  readonly surfaces: Surfaces;
  readonly tasks: Tasks;
  /** The evidence, read and proved. */
  readonly archive: Archive;
  readonly approvals: Approvals;
  /**
   * What would happen to a call, with nothing done. `as`: for whom, where that is somebody else than the caller; a Refusal
   * for callers without `policy:read`.
   */
  readonly explain: (raw: RawCall, as: string | null) => Promise<Explanation>;
  /** Capability descriptors of what this principal sees, sorted by id, as `capability-descriptor.schema.json` has them. */
  readonly descriptors: (principal: Principal) => readonly Readonly<Record<string, unknown>>[];
  readonly chp: ChpSettings;
  /** The policy in force in a workspace. */
  readonly policy: (workspace: string) => PolicyReport;
  readonly hostKeys: HostKeys;
  /** Evidence that goes, for good. */
  readonly removal: EvidenceRemoval;
  readonly info: HostInfo;
  readonly keys: KeyAdmin;
  readonly bundles: BundleAdmin;
  /** Environment capabilities that the host declares. */
  readonly environment: EnvironmentAdmin;
  readonly skills: SkillAdmin;
  readonly agent: Agent;
  /** Where a tool may work that this caller calls without a client that announces roots. */
  readonly roots: (principal: Principal) => RootList;
  readonly events: WorkspaceEvents;
  /** Bundles by the tokens that they were handed for the extensions of the host. */
  readonly extensions: {
    /** The port of the bundle that was given this token; null: it is not ours, expired or revoked. */
    find(token: string): Pick<ExtensionPort, "serve"> | null;
  };
  readonly oauth: OAuthAdmin;
  readonly limits: DoorLimits;
  readonly seals: Seals;
  /** Tokens of the issuer in `auth.oidc`; null: none is taken. */
  readonly tokens: TokenDoor | null;
  /** Only on loopback: every request is the local user's. */
  readonly noAuth: boolean;
  /**
   * All of it goes to callers with a credential, about the bundles of their own workspace; the status word alone to others.
   */
  readonly health: (caller?: Principal) => DoorHealth;
  readonly configSchema: () => unknown;
  /** A credential was missing or wrong; `source` is the peer's address. */
  readonly rejected: (source: string) => void;
  /** Somebody logged in or out; in evidence when it resolves. */
  readonly recordLogin: (type: "login" | "logout", principal: Principal) => Promise<void>;
  /** Somebody brought a `requestState` back that is none of this request; only here is said why. */
  readonly stateRejected: (principal: string, check: StateCheck) => void;
  /** A bug of ours that a door caught. */
  readonly report: (error: unknown) => void;
  readonly timings?: Partial<DoorTimings>;
}
