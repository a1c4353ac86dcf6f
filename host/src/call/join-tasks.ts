/** Joins what follows tasks with the gates, the evidence and the providers. */
import type { EvidenceLog } from "../kernel/evidence.ts";
import type { Principal } from "../kernel/principal.ts";
import type { Provider } from "../kernel/provider.ts";
import type { Tasks, TaskStore } from "../kernel/tasks.ts";
import { createReenter, type Gates } from "./create-recheck.ts";
import type { EvidenceStages } from "./evidence/evidence.ts";
import { createTaskEvidence } from "./evidence/open-invocation.ts";
import type { TaskDesk } from "./upstream/task-begin.ts";
import { TaskBook } from "./upstream/task-book.ts";
import { TaskPoller } from "./upstream/task-poller.ts";
import { createTasks } from "./upstream/tasks.ts";

export interface TaskParts {
  readonly store: TaskStore;
  /** Whether an invocation of an earlier run has no outcome yet. */
  readonly isOpen: (invocationId: string) => boolean;
  readonly log: EvidenceLog;
  readonly gates: Gates;
  readonly refuse: EvidenceStages["refuse"];
  readonly findProvider: (name: string, principal: Principal) => Provider | null;
  readonly reportBug: (error: unknown) => void;
}

export interface JoinedTasks {
  readonly tasks: Tasks;
  readonly desk: TaskDesk;
  close(): void;
}

export const joinTasks = ({ store, isOpen, log, gates, refuse, findProvider, reportBug }: TaskParts): JoinedTasks => {
  const { describe, note, end } = createTaskEvidence(log);
  const book = new TaskBook(store, isOpen);
  const poller = new TaskPoller({ book, findProvider, recordEnd: end, reportBug });
  return {
    tasks: createTasks({
      book,
      poller,
      identify: gates.identity,
      reenter: createReenter(gates),
      findProvider,
      refuse,
      note,
    }),
    desk: { book, poller, describe, note, reportBug },
    close: () => poller.stop(),
  };
};
