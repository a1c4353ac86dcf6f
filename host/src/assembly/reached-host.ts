/** What the commands need of a host, whether it runs elsewhere or in this very process. */
import type { ChatControl } from "./chat-control.ts";
import type { Answer } from "../kernel/call.ts";
import type { ToolRow } from "../kernel/surface.ts";
import type { CallOptions, Host, ProviderRow, ToolFilter } from "./host.ts";

export interface CallReport {
  readonly answer: Answer;
  /** The whole CallToolResult, a refusal's object and the evidence id in its `_meta`; or the upstream's JSON-RPC error. */
  readonly json: string;
}

export interface ReachedHost extends Pick<
  Host,
  | "explain"
  | "approvals"
  | "evidence"
  | "policy"
  | "keys"
  | "hostKeys"
  | "removal"
  | "bundles"
  | "capabilities"
  | "skills"
  | "roots"
  | keyof ChatControl
> {
  /** Null: in this process. */
  readonly origin: string | null;
  tools(query?: string, filter?: ToolFilter): Promise<readonly ToolRow[]>;
  providers(): Promise<readonly ProviderRow[]>;
  call(name: string, args: Readonly<Record<string, unknown>>, options?: CallOptions): Promise<CallReport>;
  /** Ends what was started for the command. */
  close(): Promise<void>;
}
