/**
 * A run that the end of the process cut off: what evidence knows of its calls, as a line of the conversation, and what the next
 * run is told of it. Nothing is called again here. Pure.
 */
import type { StoredCall, StoredMessage } from "../../kernel/conversation.ts";
import { oneLine } from "../prompt/one-line.ts";
import { callsInEvidence } from "./calls-in-evidence.ts";

/** Written when a run has ended, however it did. */
const RUN_ENDED = "dev.bailiwick.run_ended";
const MAX_NAMED = 10;
const MAX_SAID = 240;

/** The run whose end is not in the log; null: there is none. */
export const needsRecovery = (messages: readonly StoredMessage[]): string | null => {
  const last = messages.at(-1);
  if (last?.runId === undefined || last.interrupted || last.stopReason !== undefined) return null;
  return last.runId;
};

/**
 * `events` of the run's correlation, oldest first. Null: there is nothing to add, because the run ended or because all its
 * calls are in the log.
 */
export const interruptedMessage = (
  runId: string,
  events: readonly unknown[],
  messages: readonly StoredMessage[],
): StoredMessage | null => {
  if (events.some((event) => fieldOf(event, "event_type") === RUN_ENDED && runOf(event) === runId)) return null;
  const stored = new Set(messages.flatMap(({ toolCalls = [] }) => toolCalls.map(({ evidenceId }) => evidenceId)));
  const calls = callsInEvidence(runId, events).filter(({ eventIds }) => !eventIds.some((id) => stored.has(id)));
  if (calls.length === 0) return null;
  const time = fieldOf(events.at(-1), "timestamp");
  return {
    role: "assistant",
    content: "",
    ts: typeof time === "string" ? time : (messages.at(-1)?.ts ?? new Date(0).toISOString()),
    toolCalls: calls.map(({ call }) => call),
    runId,
    interrupted: true,
  };
};

/** What the last run left open, to stand after "the last run was interrupted"; null: nothing. */
export const unfinishedNotice = (messages: readonly StoredMessage[]): string | null => {
  const last = messages.at(-1);
  if (last === undefined) return null;
  const calls = last.toolCalls ?? [];
  const open = calls.filter((call) => last.interrupted || isWaiting(call));
  if (open.length === 0) {
    if (last.interrupted) return "its answer was cut off.";
    return needsRecovery(messages) === null ? null : "it ended before its answer was written.";
  }
  const named = open.slice(0, MAX_NAMED).map((call) => `${oneLine(call.name)}: ${stateOf(call)}`);
  return [...named, ...(open.length > MAX_NAMED ? [`and ${open.length - MAX_NAMED} more calls`] : [])].join("; ");
};

/** Whatever a tool says of itself, it has no code. */
const isWaiting = ({ code }: StoredCall): boolean => code === "approval_pending";

const stateOf = (call: StoredCall): string => {
  if (call.outcome === "indeterminate")
    return "nobody knows whether it took effect, so check before it is called again";
  if (call.outcome === "success") return "it was run";
  if (call.outcome === "failure") return "it failed";
  return isWaiting(call) ? oneLine(call.output, MAX_SAID) : "it was not run";
};

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined;

const runOf = (event: unknown): unknown => fieldOf(fieldOf(event, "payload"), "run_id");
