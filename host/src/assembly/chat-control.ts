/** The agent for one who is known beforehand, in one workspace: what programs and the terminal may do with it. */
import type { ChatOrder, ChatResult, PromptShown, RunEvent, SkillMatching } from "../kernel/agent.ts";
import type { ConversationQuery, Conversations, ConversationSummary, StoredMessage } from "../kernel/conversation.ts";

export interface ChatNarrowing {
  /** Default: a new conversation. */
  readonly conversationId?: string;
  /** `provider:model`, or a model of the default provider; default: the conversation's, else the configured one. */
  readonly model?: string;
  /** A skill's name, or false for none; default: whichever matches. */
  readonly skill?: string | false;
  /** Globs; default: the message narrows nothing. */
  readonly allowedTools?: readonly string[];
  readonly maxIterations?: number;
  /** The app that the person has in front of them. */
  readonly app?: NonNullable<ChatOrder["app"]>;
  /** Addresses of files of the workspace, `files://...`. */
  readonly fileRefs?: readonly string[];
  /** Kept in evidence of the run; decides nothing. */
  readonly metadata?: Readonly<Record<string, unknown>>;
}

export interface ChatOptions extends ChatNarrowing {
  /** Cancels the run; its text so far is kept. */
  readonly signal?: AbortSignal;
  /** For how long a call waits for a person's decision; default: as configured. A host in another process has its own. */
  readonly approvalWaitMs?: number;
}

/** One message and its run, which goes on whether or not anybody takes the stream. */
export interface ChatSession {
  /** Every event from the first, for each who iterates; after `done` or `error` it ends. Throws what was refused before there was a run. */
  readonly stream: AsyncIterable<RunEvent>;
  /** Rejects with the Refusal that ended it. */
  readonly result: Promise<ChatResult>;
}

export type PromptOrder = ChatNarrowing & { readonly message: string };
export type ConversationPage = Awaited<ReturnType<Conversations["list"]>>;

/** Refusal `bad_request` for what is no id, `not_found` for an unknown one. */
export interface ConversationControl {
  /** Default: the 20 that changed last. */
  list(query?: Partial<ConversationQuery>): Promise<ConversationPage>;
  history(id: string): Promise<readonly StoredMessage[]>;
  rename(id: string, title: string): Promise<ConversationSummary>;
  delete(id: string): Promise<void>;
  /** Copies messages with an index below `atMessage`; default: all. */
  fork(id: string, atMessage?: number): Promise<ConversationSummary>;
}

export interface ChatControl {
  chat(message: string, options?: ChatOptions): ChatSession;
  readonly conversations: ConversationControl;
  /** What would be sent to the model, with nothing run and nothing written. */
  prompt(order: PromptOrder): Promise<PromptShown>;
  /** Which skill a message would match and why, nothing run. */
  match(order: Pick<ChatOrder, "message" | "skill">): Promise<SkillMatching>;
}
