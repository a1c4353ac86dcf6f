/** Joins what follows tasks with the gates, the evidence and the providers. */
import type { Answer } from "../kernel/call.ts";
import type { EvidenceLog } from "../kernel/evidence.ts";
import type { Presented, Principal } from "../kernel/principal.ts";
import type { Provider } from "../kernel/provider.ts";
import type { RawJson } from "../kernel/raw-json.ts";
import type { RootsOf } from "../kernel/roots.ts";
import type { Tasks, TaskStore } from "../kernel/tasks.ts";
import { createReenter, type Gates } from "./create-recheck.ts";
import type { EvidenceStages } from "./evidence/evidence.ts";
import { createTaskEvidence } from "./evidence/open-invocation.ts";
import { shapeAnswer } from "./result/shape-answer.ts";
import { answerTaskRoots } from "./upstream/answer-task-roots.ts";
import type { TaskDesk } from "./upstream/task-begin.ts";
import { TaskBook } from "./upstream/task-book.ts";
import { TaskPoller } from "./upstream/task-poller.ts";
import { TaskWaits, type WaitsSource } from "./upstream/task-waits.ts";
import { createTasks } from "./upstream/tasks.ts";

export interface TaskParts {
  readonly store: TaskStore;
  /** Whether an invocation of an earlier run has no outcome yet. */
  readonly isOpen: (invocationId: string) => boolean;
  readonly log: EvidenceLog;
  readonly gates: Gates;
  readonly rootsOf: RootsOf;
  readonly refuse: EvidenceStages["refuse"];
  /** Has a caller's credential verified, if `identify` need not know it any more, and its workspace opened. */
  readonly prepare: (caller: { readonly principal: Principal; readonly presented: Presented }) => Promise<void>;
  readonly findProvider: (name: string, principal: Principal) => Provider | null;
  readonly reportBug: (error: unknown) => void;
}

export interface JoinedTasks {
  readonly tasks: Tasks;
  readonly desk: TaskDesk;
  /** Records a refusal; one that waits for a person's decision becomes a task, where its caller takes one. */
  readonly refuse: EvidenceStages["refuse"];
  /** Goes on with what waited when the host stopped; to be called when there are doors. */
  start(source: WaitsSource): void;
  close(): void;
}

const errorOf = (answer: Answer): RawJson => shapeAnswer.mcp(answer, "task").json;

export const joinTasks = (parts: TaskParts): JoinedTasks => {
  const { store, isOpen, log, gates, rootsOf, refuse, prepare, findProvider, reportBug } = parts;
  const { describe, note, end } = createTaskEvidence(log);
  const book = new TaskBook(store, isOpen);
  const answerRoots = answerTaskRoots({ rootsOf, findProvider, note });
  const poller = new TaskPoller({ book, findProvider, recordEnd: end, answerRoots, reportBug });
  const waits = new TaskWaits({ book, describe, note, prepare, errorOf, reportBug });
  return {
    tasks: createTasks({
      book,
      poller,
      identify: gates.identity,
      reenter: createReenter(gates),
      rootsOf,
      findProvider,
      refuse,
      note,
    }),
    desk: { book, poller, describe, note, reportBug },
    refuse: async (call, no) => waits.defer(call, await refuse(call, no)),
    start: (source) => waits.start(source),
    close: () => {
      waits.stop();
      poller.stop();
    },
  };
};
