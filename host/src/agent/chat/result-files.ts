/** Files that long results of one run become: one after the other, and never more waiting than there is room for. */
import type { Principal } from "../../kernel/principal.ts";
import { Refusal } from "../../kernel/refusal.ts";
import type { WholeResult } from "../runs/keep-whole.ts";
import type { CallsOfRun } from "./agent-call.ts";
import type { AgentWorkspace } from "./agent-ports.ts";

export interface ResultFilesOptions {
  readonly here: Pick<AgentWorkspace, "keepFile">;
  readonly by: Principal;
  readonly calls: CallsOfRun;
}

/** `invocationId`: of the call, as evidence has it; null: nothing was recorded of it. */
export type KeepResult = (whole: WholeResult, invocationId: string | null) => Promise<string>;

/** In characters; all calls of an answer may end at once. */
const MOST_WAITING = 64 << 20;

export const createResultFiles = ({ here, by, calls }: ResultFilesOptions): KeepResult => {
  const { correlationId, causationId, run } = calls;
  let waiting = 0;
  let last: Promise<unknown> = Promise.resolve();
  return async (whole, invocationId) => {
    const { length } = whole.text;
    if (waiting + length > MOST_WAITING) throw tooManyAtOnce();
    waiting += length;
    const kept = last.then(() =>
      here.keepFile({ ...whole, by, invocationId, runId: run.runId, correlationId, causationId }),
    );
    last = kept.catch(() => {});
    return kept.finally(() => {
      waiting -= length;
    });
  };
};

const tooManyAtOnce = (): Refusal =>
  new Refusal("quota_exceeded", {
    message: "Too many long results came at once.",
    next: "Make fewer of these calls in one answer.",
  });
