/** What the agent needs of the rest of the host. */
import type { Config } from "@bailiwick/contract";
import type { ChatResult, Chatter, SkillMatched } from "../../kernel/agent.ts";
import type { HandleCall, ShapeAnswer } from "../../kernel/call.ts";
import type { Conversation, Conversations } from "../../kernel/conversation.ts";
import type { Models } from "../../kernel/model.ts";
import type { Identify, Principal } from "../../kernel/principal.ts";
import type { Refusal } from "../../kernel/refusal.ts";
import type { Surfaces } from "../../kernel/surface.ts";
import type { PromptApp } from "../prompt/prompt-layer.ts";
import type { SkillBook } from "../skills/skill-book.ts";

export type AgentSettings = Pick<
  Config,
  "maxIterations" | "maxInputTokens" | "maxOutputTokens" | "maxDirectTools" | "agents" | "identity"
>;

/** What belongs to one workspace that is open. */
export interface AgentWorkspace {
  /** As it is now. */
  readonly settings: AgentSettings;
  readonly conversations: Conversations;
  readonly skills: SkillBook;
  /** Installed bundles by name, without what they do at this moment. */
  apps(): readonly PromptApp[];
  /** A text that is too long for a model becomes a file, which evidence names when it resolves; returns its URI. */
  keepFile(kept: KeptResult): Promise<string>;
}

export interface KeptResult {
  readonly filename: string;
  readonly text: string;
  readonly by: Principal;
  readonly tool: string;
  /** Of the call; null: nothing was recorded of it. */
  readonly invocationId: string | null;
  readonly runId: string;
  readonly correlationId: string;
  readonly causationId: string | null;
}

export interface RunRecord {
  readonly runId: string;
  readonly conversationId: string | null;
  readonly model: string;
  readonly skill: SkillMatched | null;
  readonly metadata: Readonly<Record<string, unknown>> | null;
  /** Of a child: the run that asked for it, and the call by which it did. */
  readonly parent: { readonly runId: string | null; readonly invocationId: string } | null;
}

export interface AgentPorts {
  /** As it is configured now. */
  readonly models: () => Models;
  /** Opens it where need be. Refusal `not_found`. */
  readonly workspace: (id: string) => Promise<AgentWorkspace>;
  readonly handleCall: HandleCall;
  readonly shape: ShapeAnswer;
  readonly identify: Identify;
  readonly surfaces: Surfaces;
  /** What policy refuses somebody whatever the arguments are. */
  readonly refused: (principal: Principal, name: string) => Refusal | null;
  /** In evidence, durable when it resolves; `correlationId` is that of all its calls. */
  readonly recordStart: (run: RunRecord, by: Principal, correlationId: string) => Promise<void>;
  readonly recordEnd: (run: RunRecord, by: Principal, ended: RunEnded) => Promise<void>;
  /** Who changes a conversation or ends its run; durable when it resolves, which is before it is done. */
  readonly recordChange: (change: ConversationChange, by: Chatter) => Promise<void>;
  /** Events of a correlation as evidence has them, oldest first. */
  readonly evidenceOf: (correlationId: string, workspace: string) => Promise<readonly unknown[]>;
  readonly conversationChanged: (workspace: string, conversation: Pick<Conversation, "head" | "authors">) => void;
  /** Of the host. Asked with a message and not before: to know it takes megabytes. */
  readonly timeZone: () => string;
  readonly now: () => number;
  readonly report: (error: unknown) => void;
}

export type RunEnded = { readonly correlationId: string } & (
  | Pick<ChatResult, "stopReason" | "inputTokens" | "outputTokens">
  | {
      readonly error: string;
      /** Whoever asked for its end; absent: nobody did. */
      readonly cancelledBy?: string;
    }
);

export interface ConversationChange {
  readonly type: "conversation_deleted" | "conversation_renamed" | "conversation_forked" | "run_cancel_asked";
  readonly conversationId: string;
  /** Null: it is about no run. */
  readonly runId: string | null;
  readonly more: object;
}
