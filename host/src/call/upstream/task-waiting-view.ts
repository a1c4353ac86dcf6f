/** A task that the host itself answers for, as its caller sees it. */
import { rawJson, rawMembers, type RawJson } from "../../kernel/raw-json.ts";
import { insertMembers } from "../../kernel/scan-json.ts";
import type { TaskRecord, WaitingCall } from "../../kernel/tasks.ts";
import type { TaskText } from "./task-view.ts";

export interface WaitingState {
  readonly waits: WaitingCall;
  /** The object of the questions; null: it asks nothing. */
  readonly questions: RawJson | null;
  readonly isRunning: boolean;
  readonly updatedAt: number;
}

export const viewWaiting = (record: TaskRecord, state: WaitingState): TaskText => {
  const { waits, questions, updatedAt } = state;
  const status = waits.end?.status ?? (questions === null ? "working" : "input_required");
  const task = {
    resultType: "complete",
    taskId: record.id,
    status,
    ...(waits.end === null && { statusMessage: messageOf(record, state) }),
    createdAt: new Date(record.createdAt).toISOString(),
    lastUpdatedAt: new Date(updatedAt).toISOString(),
    ttlMs: record.ttlMs,
    pollIntervalMs: record.pollMs,
  };
  const { end } = waits;
  const more = questions !== null && end === null ? `"inputRequests":${questions}` : "";
  const ended = end === null || end.status === "cancelled" ? more : `"${MEMBERS[end.status]}":${end.json}`;
  const json = insertMembers(rawJson(JSON.stringify(task)), rawMembers(ended));
  return { json, value: JSON.parse(json) as TaskText["value"] };
};

const MEMBERS = { completed: "result", failed: "error" } as const;

const messageOf = ({ flatName }: TaskRecord, { waits, questions, isRunning }: WaitingState): string => {
  if (questions !== null) return `${flatName} was allowed and asks something.`;
  return isRunning ? `${flatName} was allowed and runs.` : waits.message;
};
