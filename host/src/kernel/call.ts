/**
 * One call between the doors and the spine: what a door hands in and what it gets back.
 */
import type { Outcome } from "./evidence.ts";
import type { Door, Presented, Principal } from "./principal.ts";
import type { CallListener } from "./provider.ts";
import type { RawJson, RawMembers } from "./raw-json.ts";
import type { Refusal } from "./refusal.ts";

export type Operation = "call" | "read" | "prompt" | "complete";

export interface RawCall {
  readonly door: Door;
  readonly operation: Operation;
  /**
   * As the caller named it: the flat tool or prompt name (or alias), the provider's own name on a provider endpoint, or
   * the URI. For `complete`: the name or URI inside `ref`.
   */
  readonly name: string;
  /** Set on `/mcp/providers/<provider>`: names are that provider's own. */
  readonly provider: string | null;
  /** Parsed arguments (`call`, `prompt`), `{}` when absent; never mutated. */
  readonly args: Readonly<Record<string, unknown>>;
  /** The same as it came; null when absent. */
  readonly argsJson: RawJson | null;
  /** Members of params other than name, uri, arguments, ref and `_meta`, as they came. */
  readonly extraParams: RawMembers;
  /** Foreign members of `_meta`, as they came; host-owned keys already taken out. */
  readonly meta: RawMembers;
  /** `_meta["dev.bailiwick/provider"]` of a read. */
  readonly providerHint: string | null;
  /** `_meta.traceparent`, when well formed. */
  readonly traceparent: string | null;
  readonly presented: Presented;
  /** Whom the door found behind it, and when (ms); null: nobody has looked yet. */
  readonly verified: { readonly principal: Principal; readonly at: number } | null;
  /** Surface token the caller listed with, if it says. */
  readonly surface: string | null;
  readonly signal: AbortSignal;
  readonly listener: CallListener;
}

/** How a call ended, before a door gives it its own shape. */
export type Ending =
  | { readonly kind: "result"; readonly json: RawJson; readonly isError: boolean }
  | { readonly kind: "error"; readonly json: RawJson; readonly code: number }
  | { readonly kind: "refusal"; readonly refusal: Refusal; readonly stage: number };

/** The spine's answer. `outcome` is what evidence says. */
export interface Answer {
  readonly ending: Ending;
  readonly outcome: Outcome;
  readonly principal: Principal | null;
  /** Id of the event that ended the call; null only when nothing could be recorded. */
  readonly evidenceId: string | null;
  /** The flat name, once known. */
  readonly tool: string | null;
}

export type HandleCall = (raw: RawCall) => Promise<Answer>;

/** The answer as one JSON-RPC member. `json` of an error is the whole error object. */
export interface McpReply {
  readonly member: "result" | "error";
  readonly json: RawJson;
}
/** The answer over REST: status and whole body. */
export interface RestReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly json: RawJson;
}
/** Stage 12, handed to the doors; pure. */
export interface ShapeAnswer {
  mcp(answer: Answer, operation: Operation): McpReply;
  rest(answer: Answer): RestReply;
}
