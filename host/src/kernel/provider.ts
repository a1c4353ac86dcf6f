/**
 * Anything that can be listed and called. Only `call/upstream` may call `send`; a test says so.
 */
import type { WaitingApproval } from "./approvals.ts";
import type { Asker } from "./ask.ts";
import type { CallOrigin } from "./call-run.ts";
import type { Principal } from "./principal.ts";
import type { RawJson, RawMembers } from "./raw-json.ts";
import type { RiskTier } from "./risk-tier.ts";
import type { RootList } from "./roots.ts";

export type ProviderState = "starting" | "running" | "crashed" | "dead" | "stopped" | "refused";

export interface ProviderStatus {
  readonly state: ProviderState;
  /** Why it is not running, for people: one sentence. */
  readonly reason: string | null;
  /** What a person does about it: one command or one edit. */
  readonly next: string | null;
  /** When the state was entered, ms since the epoch. */
  readonly since: number;
  /** When a further try is expected, for `retry_after_ms`. */
  readonly retryAfterMs: number | null;
  readonly version: string | null;
  readonly restartsInWindow: number;
  readonly lastError: string | null;
  /** Where a person connects the account that it lacks; absent: that is not what keeps it from running. */
  readonly link?: string;
}

/** A list entry: the text as the upstream wrote it, and the same parsed for reading. */
export interface Listed {
  readonly json: RawJson;
  readonly value: Readonly<Record<string, unknown>>;
}

export interface ListedTool extends Listed {
  readonly name: string;
  /** `sha256:<hex>` over the canonical JSON of name, title, description, schemas, annotations, `_meta.ui`, `_meta.dcc`. */
  readonly definition: string;
  /**
   * The server now defines it otherwise, or for the first time, and nobody has accepted that. What is listed is what was
   * accepted; of a new one the name alone. Absent: it may run.
   */
  readonly held?: "definition_changed" | "definition_new";
  /** It gives its result out in pieces too, to callers that listen for them. */
  readonly streams?: true;
  /** Why nobody may call it, whatever its provider does; absent: nothing keeps it back. */
  readonly barred?: { readonly state: "disabled" | "unavailable"; readonly reason: string; readonly next: string };
  /** Its risk is at least this. */
  readonly riskFloor?: RiskTier;
  /** What the skill package that it is of says beside its definition, for descriptors and search; no server can set it. */
  readonly carried?: Readonly<Record<string, unknown>>;
}
export interface ListedPrompt extends Listed {
  readonly name: string;
}
export interface ListedResource extends Listed {
  readonly uri: string;
}
export interface ListedTemplate extends Listed {
  readonly uriTemplate: string;
}

/** The entry of a skill; its URI is the one of its `SKILL.md`. */
export interface ListedSkill extends Listed {
  readonly uri: string;
}

/** Everything a provider offered when it was last listed. Kept while it is down. */
export interface Catalogue {
  readonly tools: readonly ListedTool[];
  readonly prompts: readonly ListedPrompt[];
  readonly resources: readonly ListedResource[];
  readonly templates: readonly ListedTemplate[];
  /** Null: it knows nothing of skills. */
  readonly skills: readonly ListedSkill[] | null;
  /** It lists the directories of its skills. */
  readonly directories: boolean;
  readonly instructions: string | null;
  readonly completions: boolean;
  /** Entries that are not served, with the reason: a second tool of one name, an entry without a name. */
  readonly defects: readonly string[];
}

export const EMPTY_CATALOGUE: Catalogue = Object.freeze({
  tools: [],
  prompts: [],
  resources: [],
  templates: [],
  skills: null,
  directories: false,
  instructions: null,
  completions: false,
  defects: [],
});

export type ProviderMethod =
  | "tools/call"
  | "resources/read"
  | "prompts/get"
  | "completion/complete"
  | "skills/get"
  | "resources/directory/read"
  | TaskMethod;

/** `tasks/result` is of the legacy era only. */
export type TaskMethod = "tasks/get" | "tasks/update" | "tasks/cancel" | "tasks/result";

/** What one caller can hear while its call runs. Every function may be called at any time and must not throw. */
export interface CallListener {
  /** Members of the upstream's progress params, the token left out: `"progress":1,"total":2`. */
  progress(members: RawMembers): void;
  /** Members of the upstream's log params: `"level":"info","data":"…"`. */
  log(members: RawMembers): void;
  /** From which level up it hears logs; null: none. */
  level(): string | null;
  /** A piece of the result, as it comes. Absent: the caller waits for the whole. */
  chunk?(delta: RawJson): void;
  /** The call waits for a person's decision from now on. */
  waits?(approval: WaitingApproval): void;
}

/** Answers for a server of the modern era, and its own state, both as they came. */
export interface CallInput {
  readonly responses: RawJson | null;
  readonly state: RawJson | null;
}

export interface ProviderRequest {
  readonly method: ProviderMethod;
  /** For `Mcp-Name`: the upstream's own tool or prompt name, or the URI. */
  readonly name: string;
  /** Params without `_meta`: `"name":"echo","arguments":{…}`. */
  readonly params: RawMembers;
  /** Foreign `_meta` members that pass; the leg adds token and envelope. */
  readonly meta: RawMembers;
  readonly signal: AbortSignal;
  readonly listener: CallListener;
  readonly asker: Asker;
  /** Whose call it is, to tell callers apart on a shared pipe. */
  readonly owner: string;
  /** Null: none. A server of the legacy era is not given it. */
  readonly input: CallInput | null;
  /** The host itself asks a legacy server for a task; a caller's own word about tasks does not reach one. */
  readonly asTask?: true;
  /** The longest that it may take, questions aside; null: as its provider has it. */
  readonly limitMs?: number | null;
  /** Absent: the request is about a task, not a call. */
  readonly facts?: () => CallFacts;
  /** Asked when the call is given up: who hears an answer that comes after all. What it returns keeps no request alive. */
  readonly late: () => (answer: ProviderAnswer) => void;
}

/** About the call behind a request, for providers that are part of the host. */
export interface CallFacts {
  readonly invocationId: string;
  readonly correlationId: string;
  readonly workspace: string;
  /** Whose own endpoint the call came in on; null: the one of all. */
  readonly endpoint: string | null;
  readonly principal: string;
  /** The same, with what it may name. */
  readonly caller: Principal;
  /** Environment capabilities that the tool requires. */
  readonly required: readonly string[];
  readonly roots: RootList;
  readonly origin: CallOrigin;
}

/** How a send ended. A refusal to send and a lost answer are Refusals, thrown. */
export type ProviderAnswer =
  | {
      readonly kind: "result";
      readonly json: RawJson;
      readonly isError: boolean;
      /** The result parsed. */
      readonly value: Readonly<Record<string, unknown>>;
    }
  /** A modern server's result that is not `complete`: `input_required`, `task`, or one of an extension. */
  | {
      readonly kind: "partial";
      readonly resultType: string;
      readonly json: RawJson;
      readonly value: Readonly<Record<string, unknown>>;
    }
  | { readonly kind: "error"; readonly json: RawJson; readonly code: number; readonly message: string };

/** Resources that come and go too often to be in a catalogue. A change of them is announced like one of that. */
export interface MoreResources {
  /** Listed after those of the catalogue. */
  list(): readonly ListedResource[];
  has(uri: string): boolean;
}

export interface Provider {
  readonly name: string;
  /** True: what its tools are may change without a person's yes. */
  readonly unpinned?: boolean;
  /** The command that accepts its changed definitions; absent: `bailiwick bundle accept <name>`. */
  readonly acceptWith?: string;
  /**
   * Where each principal has a connection of its own: the provider as this one sees and calls it, the same object each
   * time. Absent: all share one.
   */
  of?(principal: Principal): Provider;
  status(): ProviderStatus;
  catalogue(): Catalogue;
  /** Absent: all that it lists is in its catalogue. */
  readonly more?: MoreResources;
  /** True as soon as it is `running`, false after `waitMs`, at once when `dead`, `stopped` or `refused`, or on abort. */
  whenReady(waitMs: number, signal: AbortSignal): Promise<boolean>;
  /**
   * Sends once. Throws Refusal `not_ready` (nothing was sent), `cancelled` (before the send), `upstream_failed` (definite)
   * or `indeterminate` (sent, and nobody knows; `details.error` says why: `timeout`, `cancelled`, `connection_lost`).
   */
  send(request: ProviderRequest): Promise<ProviderAnswer>;
  /**
   * Tells when a resource is not what it was, until the returned function is called. Counted by reference; kept over
   * restarts. False: this provider cannot say.
   */
  watch(uri: string, updated: () => void): (() => void) | false;
}

/** Where a room announces its providers. Implemented by the registry that the surface reads. */
export interface ProviderSink {
  add(provider: Provider): void;
  /** `provider`: only if it is still this one that has the name. */
  remove(name: string, provider?: Provider): void;
  /** Its catalogue or status is not what it was. */
  changed(name: string): void;
}
