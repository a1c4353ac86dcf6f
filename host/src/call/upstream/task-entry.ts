/** One task while the host runs: its record, and what is known of it beyond that. */
import type { Asker, Declared } from "../../kernel/ask.ts";
import type { Presented } from "../../kernel/principal.ts";
import type { RawJson, RawMembers } from "../../kernel/raw-json.ts";
import type { TaskRecord } from "../../kernel/tasks.ts";
import type { TaskText } from "./task-view.ts";

export interface TaskWatcher {
  /** The endpoint that it listens on; null: the one of all providers. */
  readonly endpoint: string | null;
  readonly declared: Declared;
  readonly changed: (members: RawMembers) => void;
  /** The state that it heard of last. */
  told: string | null;
}

/** A task that no server knows of: the host answers for it. */
export interface OwnTask {
  /** Who answers for its caller while its call runs. */
  readonly asker: Asker;
  /** As its caller sees it. */
  view(): TaskText;
  /** Whoever asks after it is its caller, perhaps with a fresher credential. */
  seen(presented: Presented): void;
  answer(responses: RawJson, presented: Presented): void;
  cancel(): Promise<void>;
}

export interface TaskEntry {
  record: TaskRecord;
  /** Null: its server is asked. */
  own: OwnTask | null;
  /** Says whether its outcome could be written; null: nobody writes it now, so one may. */
  settling: Promise<boolean> | null;
  /** How often in a row nothing was learned. */
  failures: number;
  timer: NodeJS.Timeout | null;
  /** The poll that is out; null: none. */
  polling: AbortController | null;
  /** The questions that it asked last, for evidence. */
  questions: string | null;
  /** Of the questions for roots that it asks now, those that the host has answered. */
  rootsAnswered: ReadonlySet<string>;
  readonly watchers: Set<TaskWatcher>;
}

export const taskEntry = (record: TaskRecord): TaskEntry => ({
  record,
  own: null,
  settling: null,
  failures: 0,
  timer: null,
  polling: null,
  questions: null,
  rootsAnswered: new Set(),
  watchers: new Set(),
});
