/** Conversations of a workspace: append-only logs of messages. */
import type { Outcome } from "./evidence.ts";
import type { RefusalKind } from "./refusals.ts";

export interface StoredCall {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
  readonly output: string;
  readonly ok: boolean;
  readonly ms: number;
  readonly outcome: Outcome | null;
  /** Of the refusal. */
  readonly code?: RefusalKind;
  readonly dropped?: "token_budget" | "iteration_limit";
  readonly evidenceId?: string;
}

export interface StoredMessage {
  readonly role: "user" | "assistant";
  readonly content: string;
  /** ISO 8601. */
  readonly ts: string;
  readonly toolCalls?: readonly StoredCall[];
  readonly skill?: string;
  readonly model?: string;
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly files?: readonly string[];
  readonly runId?: string;
  /** Who wrote it, as `principalName` has it; of user messages. */
  readonly by?: string;
  readonly stopReason?: "complete" | "max_iterations" | "token_budget";
  readonly interrupted?: true;
}

export interface ConversationHead {
  readonly id: string;
  readonly createdAt: string;
  readonly forkedFrom?: { readonly id: string; readonly atMessage: number };
  /** Whose it is, where the messages do not say it: who made a fork. */
  readonly by?: string;
}

export interface ConversationSummary {
  readonly id: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly title: string;
  readonly messageCount: number;
  /** The beginning of the last message. */
  readonly preview: string;
  readonly totalInputTokens: number;
  readonly totalOutputTokens: number;
  readonly totalCostUsd: number | null;
}

/** Who wrote in a conversation, as `by` of its messages has them; an empty text is somebody who is not known. */
export type Authors = readonly string[];

export interface ConversationQuery {
  readonly limit: number;
  readonly cursor: string | null;
  readonly search: string | null;
  readonly sortBy: "createdAt" | "updatedAt";
}

/** Of one workspace. Ids are checked: Refusal `bad_request` for what is none, `not_found` for an unknown one. */
export interface Conversations {
  create(): Promise<ConversationHead>;
  open(id: string): Promise<Conversation>;
  /** `sees`: which of them are there for whoever asks; absent: all. A search looks at their texts too, newest first. */
  list(
    query: ConversationQuery,
    sees?: (authors: Authors) => boolean,
  ): Promise<{
    readonly conversations: readonly ConversationSummary[];
    readonly nextCursor: string | null;
    readonly totalCount: number;
    /** Of how many the texts were not searched, because there is too much of them; absent: of none. */
    readonly unsearched?: number;
  }>;
  /** Copies messages with an index below `atMessage`; null: all. The copy is that of `by`; absent: of who wrote it. */
  fork(id: string, atMessage: number | null, by?: string): Promise<ConversationSummary>;
  rename(id: string, title: string): Promise<ConversationSummary>;
  delete(id: string): Promise<void>;
  close(): Promise<void>;
}

export interface Conversation {
  readonly head: ConversationHead;
  readonly messages: readonly StoredMessage[];
  /** What was cut off or could not be read when it was opened; null: nothing. */
  readonly defect: string | null;
  /** Durable when it resolves. `costUsd` is added to the total of the summary. */
  append(message: StoredMessage, costUsd?: number | null): Promise<void>;
  summary(): ConversationSummary;
  authors(): Authors;
}
