/** A call of the agent, as it enters the one call path. */
import { NOBODY } from "../../kernel/ask.ts";
import type { RawCall } from "../../kernel/call.ts";
import type { ParentRun } from "../../kernel/call-run.ts";
import { NO_ENVELOPE } from "../../kernel/envelope.ts";
import type { PresentedAgent } from "../../kernel/principal.ts";
import type { CallListener } from "../../kernel/provider.ts";
import { NO_MEMBERS, rawJson } from "../../kernel/raw-json.ts";

/** What all calls of one run have in common. */
export interface CallsOfRun {
  readonly presented: PresentedAgent;
  readonly run: ParentRun;
  readonly correlationId: string;
  /** The call that asked for this run; null: a person's message did. */
  readonly causationId: string | null;
  readonly approvalWaitMs: number;
}

export interface AgentCall {
  readonly operation: "call" | "read";
  /** Flat name, or URI. */
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
  readonly listener: CallListener;
}

export const SILENT: CallListener = { progress: () => {}, log: () => {}, level: () => null };

export const agentCall = (of: CallsOfRun, call: AgentCall): RawCall => {
  const isCall = call.operation === "call";
  const argsJson = isCall ? rawJson(JSON.stringify(call.input)) : null;
  return {
    door: "agent",
    operation: call.operation,
    name: call.name,
    provider: null,
    // What is checked and what is sent are read from the same text.
    args: argsJson === null ? {} : (JSON.parse(argsJson) as Record<string, unknown>),
    argsJson,
    extraParams: NO_MEMBERS,
    meta: NO_MEMBERS,
    providerHint: null,
    traceparent: null,
    presented: of.presented,
    verified: null,
    surface: null,
    signal: call.signal,
    listener: call.listener,
    asker: NOBODY,
    input: null,
    continues: null,
    envelope: {
      ...NO_ENVELOPE,
      correlationId: of.correlationId,
      causationId: of.causationId,
      context: { run_id: of.run.runId, ...(of.run.conversationId && { conversation_id: of.run.conversationId }) },
    },
    approvalWaitMs: of.approvalWaitMs,
    ...(isCall ? { run: of.run } : {}),
  };
};
