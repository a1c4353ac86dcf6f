/** Questions for roots of a task that the host answers by itself, as it does for a call: its caller never sees them. Pure. */
import type { Ask } from "../../kernel/ask.ts";
import { rawJson } from "../../kernel/raw-json.ts";
import { joinMembers, membersOf } from "../../kernel/scan-json.ts";
import type { TaskRecord } from "../../kernel/tasks.ts";
import { leaveOut } from "./root-answers.ts";
import { questionsOf, type TaskText } from "./task-view.ts";

const NONE: readonly Ask[] = [];

type Whose = Pick<TaskRecord, "hostRoots">;

export const rootsAsked = (task: TaskText, { hostRoots }: Whose): readonly Ask[] =>
  hostRoots === true ? (questionsOf(task)?.filter(({ method }) => method === "roots/list") ?? NONE) : NONE;

/** The task as its caller may see it: one that asks nothing else is at work. */
export const setTaskRootsAside = (task: TaskText, whose: Whose): TaskText => {
  const own = rootsAsked(task, whose);
  if (own.length === 0) return task;
  const left = leaveOut(task.json, own);
  const asksMore = own.length < Object.keys(task.value["inputRequests"] as object).length;
  const json = asksMore ? left : rawJson(atWork(left));
  return { json, value: JSON.parse(json) as TaskText["value"] };
};

const atWork = (json: string): string => {
  const members = membersOf(json).filter(({ key }) => key !== "inputRequests" && key !== "status");
  return `{"status":"working",${joinMembers(json, members)}}`;
};
