/**
 * What the doors are handed. Everything here is verified, decided or recorded elsewhere; a door only reads requests,
 * hands calls on and writes answers.
 */
import type { HandleCall, ShapeAnswer } from "../kernel/call.ts";
import type { NewKey } from "../kernel/key.ts";
import type { HostInfo } from "../kernel/host-info.ts";
import type { Identify } from "../kernel/principal.ts";
import type { Seals } from "../kernel/seal.ts";
import type { Surfaces } from "../kernel/surface.ts";
import type { Tasks } from "../kernel/tasks.ts";
import type { OAuthAdmin } from "./oauth-admin.ts";
import type { StateCheck } from "./request-state.ts";
import type { TokenDoor } from "./token-door.ts";

export interface DoorLimits {
  /** `mcp.maxRequestBytes` */
  readonly maxRequestBytes: number;
  /** `mcp.sessionIdleSeconds` */
  readonly sessionIdleSeconds: number;
  /** `mcp.holdSeconds`: how long a caller may take to answer a question. */
  readonly holdSeconds: number;
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
  /** How long closing waits for calls in flight. */
  readonly closeMs: number;
}

export interface DoorHealth {
  readonly status: string;
  readonly [check: string]: unknown;
}

/** Named API keys. The secret is in the answer of `create` once and nowhere else. `by` is who asked, for evidence. */
export interface KeyAdmin {
  create(key: NewKey, by: string): Promise<{ readonly secret: string; readonly row: object }>;
  list(): Promise<readonly object[]>;
  revoke(name: string, by: string): Promise<object>;
}

export type BundleChange = "start" | "stop" | "restart";

/** A bundle as the doors show it; members that are not named here pass as they are. */
export interface BundleSeen {
  readonly name: string;
  readonly reason?: string;
  readonly lastError?: string | null;
}

/** The bundles, for those who may steer them. What names one throws Refusal `not_found` where there is none. */
export interface BundleAdmin {
  /** `by` is the principal who asked, for evidence. Answers name and state. */
  change(change: BundleChange, name: string, by: string): Promise<object>;
  list(): readonly BundleSeen[];
  logs(name: string): readonly string[];
}

export interface ListenerDeps {
  readonly identify: Identify;
  readonly handleCall: HandleCall;
  readonly shape: ShapeAnswer;
  readonly surfaces: Surfaces;
  readonly tasks: Tasks;
  readonly info: HostInfo;
  readonly keys: KeyAdmin;
  readonly bundles: BundleAdmin;
  readonly oauth: OAuthAdmin;
  readonly limits: DoorLimits;
  readonly seals: Seals;
  /** Tokens of the issuer in `auth.oidc`; null: none is taken. */
  readonly tokens: TokenDoor | null;
  /** Only on loopback: every request is the local user's. */
  readonly noAuth: boolean;
  /** All of it goes to callers with a credential, the status word alone to others. */
  readonly health: () => DoorHealth;
  readonly configSchema: () => unknown;
  /** A credential was missing or wrong; `source` is the peer's address. */
  readonly rejected: (source: string) => void;
  /** Somebody brought a `requestState` back that is none of this request; only here is said why. */
  readonly stateRejected: (principal: string, check: StateCheck) => void;
  /** A bug of ours that a door caught. */
  readonly report: (error: unknown) => void;
  readonly timings?: Partial<DoorTimings>;
}
