/** The host's own agent, as doors and programs see it. */
import type { Conversations, StoredCall } from "./conversation.ts";
import type { FinishReason } from "./model.ts";
import type { Door, Presented, Principal } from "./principal.ts";
import type { RawJson } from "./raw-json.ts";
import type { Refusal } from "./refusal.ts";
import type { RefusalKind } from "./refusals.ts";

/** One message to the agent. Nothing in it says who sends it. */
export interface ChatOrder {
  readonly message: string;
  /** Null: a new one. */
  readonly conversationId: string | null;
  /** `provider:model`, or a model of the default provider; null: the conversation's, else the configured one. */
  readonly model: string | null;
  /** Above the cap counts as the cap; null: as configured. */
  readonly maxIterations: number | null;
  /** Globs; null: the request narrows nothing. */
  readonly allowedTools: readonly string[] | null;
  /** A skill's name; false: none is to match; null: whichever matches. */
  readonly skill: string | false | null;
  /** The app that the person has in front of them. */
  readonly app: { readonly appName: string; readonly serverName: string } | null;
  /** `files://…` */
  readonly fileRefs: readonly string[];
  /** Kept in evidence of the run; decides nothing. */
  readonly metadata: Readonly<Record<string, unknown>> | null;
}

/** Whoever talks to the agent, as the door found it: the agent acts on behalf of the person behind it. */
export interface Chatter {
  readonly principal: Principal;
  readonly presented: Presented;
  readonly door: Door;
}

export type StopReason = "complete" | "max_iterations" | "token_budget";

export interface ChatUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheCreationTokens: number;
  readonly cacheReadTokens: number;
  /** Null: the prices are not known. */
  readonly costUsd: number | null;
  readonly model: string;
  readonly llmMs: number;
  readonly iterations: number;
  readonly estimated: boolean;
}

export interface ChatResult {
  /** The text of all iterations, empty ones left out, joined by a blank line. */
  readonly response: string;
  readonly conversationId: string;
  readonly runId: string;
  readonly skillName: string | null;
  readonly toolCalls: readonly StoredCall[];
  readonly stopReason: StopReason;
  readonly finishReason: FinishReason;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly usage: ChatUsage;
}

export interface SkillMatched {
  readonly name: string;
  readonly phase: "explicit" | "trigger" | "keywords";
  readonly matched: readonly string[];
}

/** What a run tells while it goes on; `done` or `error` is the last. Children's events have `parentRunId`. */
export type RunEvent = { readonly runId: string; readonly parentRunId?: string } & (
  | {
      readonly type: "chat.start";
      readonly conversationId: string;
      readonly model: string;
      readonly skill: SkillMatched | null;
      readonly directTools: number;
    }
  | { readonly type: "text.delta"; readonly text: string }
  | { readonly type: "tool.start"; readonly id: string; readonly name: string; readonly resourceUri?: string }
  | {
      readonly type: "tool.progress";
      readonly id: string;
      readonly progress: number;
      readonly total?: number;
      readonly message?: string;
    }
  | {
      readonly type: "approval.needed";
      readonly id: string;
      readonly name: string;
      readonly approvalId: string;
      readonly digest: string;
      readonly summary: string;
      readonly expiresAt: string;
    }
  | {
      readonly type: "tool.done";
      readonly id: string;
      readonly name: string;
      readonly ok: boolean;
      readonly ms: number;
      readonly outcome: StoredCall["outcome"];
      /** Of the refusal. */
      readonly code?: RefusalKind;
      /** The whole result of MCP, also what is for the person alone. */
      readonly result?: unknown;
      readonly resourceUri?: string;
      readonly evidenceId: string | null;
    }
  | {
      readonly type: "llm.done";
      readonly iteration: number;
      readonly inputTokens: number;
      readonly outputTokens: number;
      readonly cacheReadTokens: number;
      readonly cacheCreationTokens: number;
      readonly finishReason: FinishReason;
    }
  | ({ readonly type: "done" } & ChatResult)
  | { readonly type: "error"; readonly error: RefusalKind; readonly message: string; readonly remedy?: string }
);

/**
 * The same as it is kept: what a tool answered is the text that came. It may be large and nested as deep as the server likes,
 * so it is parsed for programs alone, and only when they look at it.
 */
export type ToldEvent = Exclude<RunEvent, ToolDone> | (Omit<ToolDone, "result"> & { readonly resultJson?: RawJson });

type ToolDone = Extract<RunEvent, { type: "tool.done" }>;

export interface NumberedEvent {
  /** From 1, without gaps. */
  readonly id: number;
  readonly event: ToldEvent;
}

/** One run. It goes on while nobody listens for a minute, and is then cancelled. */
export interface AgentRun {
  readonly id: string;
  readonly conversationId: string;
  /**
   * Every event after this id, each once, then those to come; ends after `done` or `error`, or with the signal. A run that
   * ended is kept for a while.
   */
  events(after: number, signal: AbortSignal): AsyncIterable<NumberedEvent>;
  /** Rejects with the Refusal that ended it: `model_failed`, `cancelled`, `evidence_unavailable`. */
  readonly result: Promise<ChatResult>;
  /** `why`: the Refusal that it ends with; absent: whoever holds it asks for its end. */
  cancel(why?: Refusal): void;
}

/** A part of what a model gets, and where it comes from. */
export interface PromptPiece {
  readonly layer: 1 | 2 | 3 | 4;
  readonly source: string;
  readonly text: string;
  readonly chars: number;
}

export interface PromptShown {
  readonly model: string;
  readonly skill: SkillMatched | null;
  readonly tier: "skill" | "all" | "discovery";
  readonly layers: readonly PromptPiece[];
  /** The two parts as they are sent: what is the same from call to call, and layer 4. */
  readonly stable: string;
  readonly varying: string;
  readonly tools: readonly { readonly name: string; readonly description: string; readonly inputSchema: object }[];
  /** The last user message as it is sent, with the runtime context. */
  readonly message: string;
  /** Earlier messages that are sent, and those that are left out because they are too long. */
  readonly history: { readonly sent: number; readonly leftOut: number };
  readonly estimatedTokens: number;
}

export interface Agent {
  /**
   * Refused before anything is written: `bad_request`, `not_found`, `run_in_progress`, `model_unconfigured`. `waitMs`: for
   * how long a call of it waits for a person's decision.
   */
  chat(order: ChatOrder, by: Chatter, how: { readonly waitMs: number }): Promise<AgentRun>;
  /** Refusal `not_found` for one that there is not or that is not to be seen. */
  run(id: string, by: Chatter): AgentRun;
  /** Ends the run of a conversation; nothing where none is going on. */
  cancel(conversationId: string, by: Chatter): Promise<void>;
  /** What would be sent, with nothing run and nothing written. Refusal `permission_missing` for who is not an owner. */
  prompt(order: ChatOrder, by: Chatter): Promise<PromptShown>;
  /** What was sent first in a run. Refusal `not_found`, or `permission_missing` for who is not an owner. */
  promptOf(runId: string, by: Chatter): PromptShown;
  /** Those of the workspace that are there for who asks; all else is Refusal `not_found`. */
  conversations(by: Chatter): Promise<Omit<Conversations, "close">>;
  /** Which skill a message would match and why, nothing run. */
  match(order: Pick<ChatOrder, "message" | "skill">, by: Chatter): Promise<SkillMatching>;
  /** Null: a model can be called; else the sentence that says what to set. */
  unconfigured(): string | null;
}

export interface SkillMatching {
  readonly skill: SkillMatched | null;
  readonly allowedTools: readonly string[] | null;
  /** Those that hit or came close, in load order. */
  readonly candidates: readonly {
    readonly name: string;
    readonly source: string;
    readonly available: boolean;
    readonly reason?: string;
    readonly triggers: readonly string[];
    readonly keywords: readonly string[];
  }[];
  readonly warnings: readonly string[];
}
