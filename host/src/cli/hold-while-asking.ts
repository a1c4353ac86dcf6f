/**
 * While a person is asked about one call, what else the run tells waits, so that nothing is written into the question. An
 * event that makes the question idle ends it. Several questions come one after another.
 */
import type { RunEvent } from "../kernel/agent.ts";

export type ApprovalNeeded = Extract<RunEvent, { type: "approval.needed" }>;

export interface HoldingOptions {
  readonly show: (event: RunEvent) => void;
  /** The signal: there is nothing to decide any more. */
  readonly ask: (needed: ApprovalNeeded, signal: AbortSignal) => Promise<void>;
}

export interface Holding {
  take(event: RunEvent): void;
  /** When everything that was taken is shown. Rejects with what a question failed with. */
  settled(): Promise<void>;
  /** Nothing more comes: an open question is ended. */
  stop(): void;
}

interface Question {
  readonly needed: ApprovalNeeded;
  readonly idle: AbortController;
}

export const holdWhileAsking = ({ show, ask }: HoldingOptions): Holding => {
  const held: RunEvent[] = [];
  let question: Question | null = null;
  let working = Promise.resolve();
  let isWorking = false;
  const put = async (needed: ApprovalNeeded): Promise<void> => {
    const idle = new AbortController();
    if (held.some((event) => endsQuestion(needed, event))) idle.abort();
    question = { needed, idle };
    await ask(needed, idle.signal);
    question = null;
  };
  const work = async (): Promise<void> => {
    isWorking = true;
    for (let event = held.shift(); event !== undefined; event = held.shift()) {
      show(event);
      if (event.type === "approval.needed") await put(event);
    }
    isWorking = false;
  };
  return {
    take(event) {
      held.push(event);
      if (question !== null && endsQuestion(question.needed, event)) question.idle.abort();
      if (isWorking) return;
      working = work();
      // `settled` says it; until somebody asks, it is not lost.
      working.catch(() => {});
    },
    settled: () => working,
    stop: () => question?.idle.abort(),
  };
};

const endsQuestion = ({ runId, id }: ApprovalNeeded, event: RunEvent): boolean => {
  if (event.type === "tool.done") return event.runId === runId && event.id === id;
  return (event.type === "done" || event.type === "error") && event.parentRunId === undefined;
};
