/** The call of a task that waited, once more and whole: for the same caller, who is verified anew, as part of the same work. */
import type { Asker } from "../../kernel/ask.ts";
import type { RawCall } from "../../kernel/call.ts";
import { HostError } from "../../kernel/host-error.ts";
import type { TaskRecord } from "../../kernel/tasks.ts";

export interface WaitingRun {
  /** Under which it is recorded. */
  readonly invocationId: string;
  readonly signal: AbortSignal;
  readonly asker: Asker;
}

export const waitingCall = (record: TaskRecord, { invocationId, signal, asker }: WaitingRun): RawCall => {
  const { invocation, waits } = record;
  if (!waits?.said) throw new HostError("a task that is over was to run");
  const { said, presented } = waits;
  return {
    ...said,
    door: "mcp",
    operation: "call",
    args: said.argsJson === null ? {} : (JSON.parse(said.argsJson) as RawCall["args"]),
    providerHint: null,
    presented,
    verified: null,
    surface: null,
    signal,
    listener: SILENT,
    asker,
    input: null,
    continues: null,
    envelope: null,
    approvalWaitMs: 0,
    ids: {
      invocationId,
      correlation: { ...invocation.correlation, causationId: invocation.id, fresh: false },
      evidenceIds: [],
    },
  };
};

const SILENT: RawCall["listener"] = Object.freeze({ progress: () => {}, log: () => {}, level: () => null });
