/** What the loop is handed and what it gives back. It knows nothing of conversations, doors or policy. */
import type { StopReason } from "../../kernel/agent.ts";
import type { WaitingApproval } from "../../kernel/approvals.ts";
import type { StoredCall } from "../../kernel/conversation.ts";
import type { FinishReason, ModelMessage, Models, ModelTool, ModelUsage } from "../../kernel/model.ts";
import type { RawJson } from "../../kernel/raw-json.ts";
import type { RefusalKind } from "../../kernel/refusals.ts";
import type { RunBudget } from "./run-budget.ts";

export interface LoopOptions {
  readonly models: Pick<Models, "call" | "costOf">;
  readonly model: string;
  readonly prompt: { readonly stable: string; readonly varying: string };
  /** The conversation so far; the last is the person's message, without the runtime context. */
  readonly messages: readonly ModelMessage[];
  /** The block that stands at the end of the person's message in one model call. */
  readonly runtime: (moment: { readonly lastIteration: boolean; readonly notices: readonly string[] }) => string;
  readonly tools: LoopTools;
  readonly budget: RunBudget;
  readonly maxOutputTokens: number;
  /** Who gets the answer: the model that asked for a sub-agent cannot send another message. */
  readonly reader: "person" | "agent";
  readonly signal: AbortSignal;
  readonly on: LoopListener;
  /** Resolves when the iteration is durable. Its rejection ends the run. */
  readonly keep: (iteration: Iteration) => Promise<void>;
  /** After an overflow of the context: the messages with the oldest turns left out; null: nothing can be left out. */
  readonly shorten: (messages: readonly ModelMessage[]) => readonly ModelMessage[] | null;
  /** Told of what went wrong beside that which ended the run. */
  readonly report: (error: unknown) => void;
  /** Absent: the real ones. */
  readonly clock?: LoopClock;
}

export interface LoopClock {
  now(): number;
  /** Resolves early when the signal is aborted. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** 0 to 1. */
  random(): number;
}

export interface LoopTools {
  /** The direct list as it is now, under names that models take. */
  list(): readonly ModelTool[];
  /** The full name of what a model wrote; the same text where no tool is meant. */
  fullName(written: string): string;
  /** Through the one call path. Never throws but for a bug; a refusal is an ending. */
  call(order: ToolOrder): Promise<ToolEnding>;
  /** A call that the loop does not hand on is recorded as refused; its evidence id, null where it cannot be recorded. */
  refuse(call: { readonly name: string; readonly code: RefusalKind; readonly why: string }): Promise<string | null>;
}

export interface ToolOrder {
  readonly id: string;
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
  readonly progress: (told: { progress: number; total?: number; message?: string }) => void;
  readonly waits: (approval: WaitingApproval) => void;
}

export interface ToolEnding {
  readonly ok: boolean;
  readonly outcome: StoredCall["outcome"];
  readonly code: RefusalKind | null;
  /** For the model: contained and cut. */
  readonly text: string;
  /** For people and for later runs: the same text, not contained. */
  readonly output: string;
  /** For clients: the whole MCP result, or what a refusal says, as text that is not looked into. */
  readonly resultJson: RawJson;
  readonly resourceUri?: string;
  readonly evidenceId: string | null;
  /** What the loop supervisor compares: the content before it was contained. */
  readonly content: string;
  /** `idle`: it advanced nothing (an empty search). `passing`: the network or a restart failed it, which never counts. */
  readonly bearing: "success" | "error" | "idle" | "passing";
}

export interface LoopListener {
  text(delta: string): void;
  toolStart(call: { readonly id: string; readonly name: string }): void;
  toolProgress(id: string, told: { progress: number; total?: number; message?: string }): void;
  approvalNeeded(
    call: { readonly id: string; readonly name: string; readonly input: unknown },
    approval: WaitingApproval,
  ): void;
  toolDone(call: StoredCall, ending: ToolEnding): void;
  modelDone(done: { readonly iteration: number; readonly finish: FinishReason; readonly usage: ModelUsage }): void;
}

/** One model response and what became of its calls. */
export interface Iteration {
  readonly text: string;
  readonly calls: readonly StoredCall[];
  readonly model: string;
  readonly usage: ModelUsage;
  readonly costUsd: number | null;
  readonly finish: FinishReason;
  /** Set in the last of a run. */
  readonly stopReason: StopReason | null;
  readonly interrupted: boolean;
}

export interface LoopEnd {
  /** Texts of all iterations, empty ones left out, joined by a blank line; equal to all deltas joined. */
  readonly text: string;
  readonly calls: readonly StoredCall[];
  readonly stopReason: StopReason;
  readonly finish: FinishReason;
  readonly model: string;
  readonly iterations: number;
  readonly llmMs: number;
  /** Of this run alone; what children used is in the budget. */
  readonly usage: ModelUsage;
  readonly costUsd: number | null;
}
