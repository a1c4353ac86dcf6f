/** Tells those who listen that a task is in another state, but not what it asks of somebody who did not declare that. */
import { rawMembers } from "../../kernel/raw-json.ts";
import { joinMembers, membersOf } from "../../kernel/scan-json.ts";
import { neededCapabilities } from "./needed-capabilities.ts";
import type { TaskEntry } from "./task-entry.ts";
import { questionsOf, viewTask, type TaskText } from "./task-view.ts";

/** A longer state is not told: whoever wants it asks for it. */
const MAX_TOLD_CHARS = 1 << 20;

export const tellWatchers = ({ watchers, record }: TaskEntry, task: TaskText): void => {
  if (watchers.size === 0 || task.json.length > MAX_TOLD_CHARS) return;
  const questions = questionsOf(task);
  if (questions === null) return;
  const { status, statusMessage, lastUpdatedAt } = task.value;
  const state = JSON.stringify([status, statusMessage, lastUpdatedAt]);
  for (const watcher of watchers) {
    if (watcher.told === state) continue;
    watcher.told = state;
    const shown = record.waits ? task.json : viewTask(task, { task: record, endpoint: watcher.endpoint });
    const left =
      neededCapabilities(questions, watcher.declared) === null ? ["resultType"] : ["resultType", "inputRequests"];
    const members = membersOf(shown).filter(({ key }) => !left.includes(key));
    watcher.changed(rawMembers(joinMembers(shown, members)));
  }
};
