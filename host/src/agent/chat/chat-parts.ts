/** What one message to the agent is answered with. */
import type { AgentRun, ChatOrder, Chatter, PromptShown } from "../../kernel/agent.ts";
import type { Runs } from "../runs/create-runs.ts";
import type { AgentPorts } from "./agent-ports.ts";
import type { RecoverConversation } from "./recover-conversation.ts";

export interface ChatStart {
  readonly order: ChatOrder;
  readonly by: Chatter;
  /** For how long a call waits for a person's decision. */
  readonly waitMs: number;
}

export interface ChatParts {
  readonly ports: AgentPorts;
  readonly runs: Runs;
  readonly recover: RecoverConversation;
  /** What was first sent in each run. */
  readonly prompts: WeakMap<AgentRun, PromptShown>;
}
