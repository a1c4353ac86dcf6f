/** The model behind the agent, as the loop sees it: one call, streamed; no tool is run here. */

export interface ModelUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheCreationTokens: number;
  /** The model reported none: four characters count as a token. */
  readonly estimated: boolean;
}

/** `length`: cut by the limit of output tokens. */
export type FinishReason = "stop" | "tool-calls" | "length" | "content-filter" | "other";

export interface ModelTool {
  /** As model APIs allow it: `^[A-Za-z0-9_-]{1,64}$`. */
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

export interface ModelToolCall {
  readonly id: string;
  readonly name: string;
  /** Parsed; null: what the model wrote is no JSON object, or was cut. */
  readonly input: Readonly<Record<string, unknown>> | null;
  /** As the model wrote it. */
  readonly inputText: string;
}

export type ModelMessage =
  | { readonly role: "user"; readonly text: string }
  | { readonly role: "assistant"; readonly text: string; readonly calls: readonly ModelToolCall[] }
  | { readonly role: "tool"; readonly results: readonly ModelToolResult[] };

export interface ModelToolResult {
  readonly callId: string;
  readonly name: string;
  readonly text: string;
  readonly isError: boolean;
}

export interface ModelRequest {
  /** `provider:model`, or a model of the default provider. */
  readonly model: string;
  /** Layers 1 to 3, byte for byte the same from call to call; a cache breakpoint follows. */
  readonly stable: string;
  /** Layer 4; empty: none. */
  readonly varying: string;
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ModelTool[];
  readonly maxOutputTokens: number;
  /** Absent: as the model has it. */
  readonly temperature?: number;
  readonly signal: AbortSignal;
}

export type ModelEvent =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "call"; readonly call: ModelToolCall }
  | { readonly type: "done"; readonly finish: FinishReason; readonly usage: ModelUsage; readonly model: string };

/** Why a model call failed. `retryAfterMs`: what the provider asks for. */
export class ModelError extends Error {
  override readonly name = "ModelError";
  readonly kind: "unconfigured" | "overflow" | "rate_limited" | "overloaded" | "network" | "refused" | "bad_request";
  readonly retryAfterMs: number | null;

  constructor(kind: ModelError["kind"], message: string, retryAfterMs: number | null = null) {
    super(message);
    this.kind = kind;
    this.retryAfterMs = retryAfterMs;
  }
}

export interface Models {
  /** What calls without a model use. */
  readonly defaultModel: string;
  /** Null: it can be called; else the sentence that names the variable and the key to set. */
  unconfigured(model: string): string | null;
  /** Refusal `bad_request` for an unknown provider, naming the configured ones. Of the model, in tokens. */
  windowOf(model: string): number;
  /** US dollars; null: the prices are not known. */
  costOf(model: string, usage: ModelUsage): number | null;
  /** Exactly one `done` ends it, or it throws ModelError. Nothing is tried twice here. */
  call(request: ModelRequest): AsyncIterable<ModelEvent>;
}
