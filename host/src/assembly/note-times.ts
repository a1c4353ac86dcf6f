/** Keeps how long calls of each tool took, for `capabilities://tools`. Looks at answers on their way out and changes none. */
import { CallTimes } from "../compose/documents/call-times.ts";
import type { Answer, RawCall } from "../kernel/call.ts";

export interface NotedTimes {
  of(workspace: string): CallTimes;
  note(raw: RawCall, answer: Answer): void;
}

export const noteTimes = (): NotedTimes => {
  const times = new Map<string, CallTimes>();
  const of = (workspace: string): CallTimes => {
    const known = times.get(workspace);
    if (known !== undefined) return known;
    const fresh = new CallTimes();
    times.set(workspace, fresh);
    return fresh;
  };
  return {
    of,
    note({ operation }, { principal, tool, outcome, record, replayed }) {
      // What was refused, failed or given out again says nothing of how long the tool takes.
      if (operation !== "call" || outcome !== "success" || replayed === true) return;
      if (principal === null || tool === null || record === undefined || record.startedAt === null) return;
      of(principal.workspace).note(tool, record.completedAt - record.startedAt);
    },
  };
};
