/** The run of the agent that a call belongs to, as the call path carries it: it hands it on and looks at the fence alone. */
import type { ToldEvent } from "./agent.ts";
import type { Presented, Door } from "./principal.ts";
import type { Refusal } from "./refusal.ts";

/** Asked with the flat name of whatever the agent calls. Null: inside. */
export type Fence = (flatName: string) => Refusal | null;

/** How a child run of `nb__delegate` is bounded by the run that asks for it. */
export interface ParentRun {
  readonly runId: string;
  readonly conversationId: string | null;
  /** 0 for the run of a person's message. */
  readonly depth: number;
  readonly model: string;
  readonly fence: Fence;
  /** Model calls that are left, the running one counted. */
  remaining(): number;
  /** Input tokens that are left. */
  tokensLeft(): number;
  /** What a child used counts here too. */
  spend(tokens: ChildSpending): void;
  /** Told what a child tells, so that whoever follows the run hears it. */
  tell(event: ToldEvent): void;
  /** How the model is told of a tool. */
  nameFor(flatName: string): string;
  /** Tools that were found join what the model is shown next; returns those that did. */
  join(names: readonly string[]): readonly string[];
}

export interface ChildSpending {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheCreationTokens: number;
  readonly costUsd: number | null;
  /** The model reported none. */
  readonly estimated: boolean;
}

/** Who is behind a call, for the host's own tools that call on: `nb__delegate` makes a principal of it that acts for the same person. */
export interface CallOrigin {
  readonly presented: Presented;
  readonly door: Door;
  /** Null: the call is not the agent's. */
  readonly run: ParentRun | null;
  /** For how long a call waits for a person's decision. */
  readonly approvalWaitMs: number;
}
