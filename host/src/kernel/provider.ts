/**
 * Anything that can be listed and called. Only `call/upstream` may call `send`; a test says so.
 */
import type { RawJson, RawMembers } from "./raw-json.ts";

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

/** Everything a provider offered when it was last listed. Kept while it is down. */
export interface Catalogue {
  readonly tools: readonly ListedTool[];
  readonly prompts: readonly ListedPrompt[];
  readonly resources: readonly ListedResource[];
  readonly templates: readonly ListedTemplate[];
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
  instructions: null,
  completions: false,
  defects: [],
});

export type ProviderMethod = "tools/call" | "resources/read" | "prompts/get" | "completion/complete";

/** What one caller can hear while its call runs. Every function may be called at any time and must not throw. */
export interface CallListener {
  /** Members of the upstream's progress params, the token left out: `"progress":1,"total":2`. */
  progress(members: RawMembers): void;
  /** Members of the upstream's log params: `"level":"info","data":"…"`. */
  log(members: RawMembers): void;
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
  | { readonly kind: "error"; readonly json: RawJson; readonly code: number; readonly message: string };

export interface Provider {
  readonly name: string;
  status(): ProviderStatus;
  catalogue(): Catalogue;
  /** True as soon as it is `running`, false after `waitMs`, at once when `dead`, `stopped` or `refused`, or on abort. */
  whenReady(waitMs: number, signal: AbortSignal): Promise<boolean>;
  /**
   * Sends once. Throws Refusal `not_ready` (nothing was sent), `cancelled` (before the send), `upstream_failed` (definite)
   * or `indeterminate` (sent, and nobody knows; `details.error` says why: `timeout`, `cancelled`, `connection_lost`).
   */
  send(request: ProviderRequest): Promise<ProviderAnswer>;
}

/** Where a room announces its providers. Implemented by the registry that the surface reads. */
export interface ProviderSink {
  add(provider: Provider): void;
  remove(name: string): void;
  /** Its catalogue or status is not what it was. */
  changed(name: string): void;
}
