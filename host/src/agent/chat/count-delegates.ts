/** Counts the delegates of one message, at all depths: each may ask for many, and those for as many again. */
import type { ParentRun } from "../../kernel/call-run.ts";
import { Refusal } from "../../kernel/refusal.ts";

const MOST = 128;

/** One count for all runs of a message. */
const counts = new WeakMap<ParentRun, { delegates: number }>();

const countOf = (run: ParentRun): { delegates: number } => {
  const known = counts.get(run);
  if (known !== undefined) return known;
  const count = { delegates: 0 };
  counts.set(run, count);
  return count;
};

/** Refusal `budget_exceeded` where the message has had enough of them. */
export const countDelegate = (parent: ParentRun): void => {
  const count = countOf(parent);
  if (count.delegates >= MOST) {
    throw new Refusal("budget_exceeded", {
      message: `One message may start at most ${MOST} sub-agents, those of sub-agents included.`,
      next: "Do the rest without a sub-agent, or say what is left to do; another message may start more.",
    });
  }
  count.delegates++;
};

/** What the child asks for counts with what the parent asked for. Null: the child is the first. */
export const countWith = (parent: ParentRun | null, child: ParentRun): ParentRun => {
  if (parent !== null) counts.set(child, countOf(parent));
  return child;
};
