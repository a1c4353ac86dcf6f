/**
 * One call between the doors and the spine: what a door hands in and what it gets back.
 */
import type { Asker } from "./ask.ts";
import type { Envelope } from "./envelope.ts";
import type { ParentRun } from "./call-run.ts";
import type { Correlation, Outcome } from "./evidence.ts";
import type { Door, Presented, Principal } from "./principal.ts";
import type { CallInput, CallListener } from "./provider.ts";
import type { RawJson, RawMembers } from "./raw-json.ts";
import type { Refusal } from "./refusal.ts";
import type { ClientRoots } from "./roots.ts";

export type Operation = "call" | "read" | "prompt" | "complete" | "skill" | "directory";

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
  readonly asker: Asker;
  /** Answers that came with the request, for a server that asked before; null: none. */
  readonly input: CallInput | null;
  /** The call that this request goes on with; null: a call of its own. */
  readonly continues: Continued | null;
  /** Null: the caller says nothing beside the call itself. */
  readonly envelope: Envelope | null;
  /** For how long the caller waits for a person's decision. */
  readonly approvalWaitMs: number;
  /** Roots that the client of a legacy session announced; absent or null: it announces none. */
  readonly clientRoots?: ClientRoots | null;
  /** Where it is seen what that client announces by now; absent: it will not announce anything else. */
  readonly announcing?: { readonly current: ClientRoots | null };
  /** The run of the agent that it is of, whose fence holds; absent: it is nobody's run. */
  readonly run?: ParentRun;
  /** Under which ids it is recorded; absent until somebody asks `idsOf`. */
  readonly ids?: CallIds;
  /** Absent: it is made as often as it comes. */
  readonly once?: OnceBinding | undefined;
}

/** What makes a repeat the same call. */
export interface OnceBinding {
  /** Where its answer is kept: 128 bits of a SHA-256, in hex. */
  readonly key: string;
  /** Of what was called and with what: as much of a SHA-256, in base64url; null until somebody asks `callHash`. */
  hash: string | null;
}

export interface CallIds {
  readonly invocationId: string;
  /** `fresh` ends with the first event of the correlation. */
  readonly correlation: Correlation & { fresh: boolean };
  /** Events of it that were recorded before it began or was refused, in order. */
  readonly evidenceIds: string[];
}

/** What the host itself sealed into the state that the caller brought back. */
export interface Continued {
  /** `again`: the same call once more, now that the person did what the server wanted. */
  readonly kind: "relay" | "again";
  readonly invocationId: string;
  readonly round: number;
  /** SHA-256 of the questions, hex. */
  readonly questions: string;
  /** What was called, as it was then: provider and definition. */
  readonly target: string;
}

/** A server wants answers before it goes on. Only callers that return get to see it. */
export interface InputWanted {
  /** What the caller brings back, once the host has sealed it. */
  readonly continues: Continued;
  readonly provider: string;
  /** The result as the caller gets it, but for the state. */
  readonly result: RawJson;
  /** The server's own state, as it came. */
  readonly state: RawJson | null;
}

/** How a call ended, before a door gives it its own shape. */
export type Ending =
  | {
      readonly kind: "result";
      readonly json: RawJson;
      readonly isError: boolean;
      /** The pieces that were given out before it. */
      readonly chunks?: StreamedChunks;
      /** What the output schema has against it; recorded, and the result is given out all the same. */
      readonly outputInvalid?: string;
      /** It began a task: the call goes on, and its outcome is recorded when the task ends. */
      readonly open?: true;
    }
  | {
      readonly kind: "error";
      readonly json: RawJson;
      readonly code: number;
      /** What evidence says instead: the error tells the caller what it lacked, but the server may have acted. */
      readonly indeterminate?: Refusal;
    }
  | { readonly kind: "input"; readonly wanted: InputWanted }
  | {
      readonly kind: "refusal";
      readonly refusal: Refusal;
      readonly stage: number;
      /** What the server said, which evidence has and the caller does not get. */
      readonly withheld?: Extract<Ending, { kind: "result" | "error" }>;
    };

/** The pieces of a streamed result. */
export interface StreamedChunks {
  readonly count: number;
  /** As `chunkSeqDigest` has it. */
  readonly digest: string;
  /** All of them; null: they are too many or too large to be kept. */
  readonly kept: readonly RawJson[] | null;
}

/** The spine's answer. `outcome` is what evidence says; null: the call goes on. */
export interface Answer {
  readonly ending: Ending;
  readonly outcome: Outcome | null;
  readonly principal: Principal | null;
  /** Id of the event that ended the call; null only when nothing could be recorded. */
  readonly evidenceId: string | null;
  /** The flat name, once known. */
  readonly tool: string | null;
  /** What was recorded about it; absent: nothing was. */
  readonly record?: CallRecord;
  /** Given out once already, and now again. */
  readonly replayed?: true;
}

/** A call as evidence has it, for doors that tell their callers. */
export interface CallRecord {
  readonly invocationId: string;
  readonly correlation: Correlation;
  readonly capabilityId: string;
  /** Null: there is no such capability for this caller. */
  readonly capabilityVersion: string | null;
  /** All its events, in order. */
  readonly evidenceIds: readonly string[];
  /** Ms since the epoch; null: it never began. */
  readonly startedAt: number | null;
  readonly completedAt: number;
}

export type HandleCall = (raw: RawCall) => Promise<Answer>;

/** The answer as one JSON-RPC member. `json` of an error is the whole error object. */
export interface McpReply {
  readonly member: "result" | "error";
  readonly json: RawJson;
}
/** The answer over REST: status, whole body, and headers beside its type and length. */
export interface RestReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly json: RawJson;
}
/** Stage 12, handed to the doors; pure. */
export interface ShapeAnswer {
  /** `task`: the answer is about a task, where a refusal has no result that could carry it. */
  mcp(answer: Answer, operation: Operation | "task"): McpReply;
  rest(answer: Answer): RestReply;
  /** The InvocationResult, its members sorted. */
  chp(answer: Answer): RawJson;
}
