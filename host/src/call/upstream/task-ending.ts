/** How the call of a task ended, as evidence takes it. */
import type { Ending } from "../../kernel/call.ts";
import { rawJson } from "../../kernel/raw-json.ts";
import { Refusal } from "../../kernel/refusal.ts";
import { memberOf, sliceJson } from "../../kernel/scan-json.ts";
import type { TaskRecord } from "../../kernel/tasks.ts";
import type { TaskText } from "./task-view.ts";

const STAGE = 10;
const INTERNAL = -32603;

/** Of a task that has ended. A tool's own error is `completed`; `failed` is one of the protocol. */
export const taskEnding = (record: TaskRecord, { json, value }: TaskText): Ending => {
  if (value["status"] === "cancelled") return { kind: "refusal", refusal: cancelled(record), stage: STAGE };
  const member = value["status"] === "completed" ? "result" : "error";
  const span = memberOf(json, member);
  const text = span === null ? rawJson("null") : sliceJson(json, span);
  const said = value[member] as { readonly isError?: unknown; readonly code?: unknown } | null | undefined;
  if (member === "result") return { kind: "result", json: text, isError: said?.isError === true };
  return { kind: "error", json: text, code: typeof said?.code === "number" ? said.code : INTERNAL };
};

export const taskLost = ({ flatName }: TaskRecord, because: string): Ending => ({
  kind: "refusal",
  stage: STAGE,
  refusal: new Refusal("indeterminate", {
    message: `Nobody knows how the task of ${flatName} ended: ${because}.`,
    next: "Check its effect yourself, then decide whether to call again.",
    details: { error: "task_lost" },
  }),
});

const cancelled = ({ flatName }: TaskRecord): Refusal =>
  new Refusal("cancelled", {
    message: `The task of ${flatName} was cancelled.`,
    next: "Repeat the call if it is still wanted.",
  });
