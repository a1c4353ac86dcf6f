/** For tests of tasks that wait: the real book and answers, and stand-ins for the queue of approvals and the call path. */
import { vi } from "vitest";
import type { ApprovalRecord, ApprovalState } from "../../kernel/approvals.ts";
import { NOBODY } from "../../kernel/ask.ts";
import type { Answer, Ending, HandleCall, RawCall } from "../../kernel/call.ts";
import { NO_MEMBERS, rawJson } from "../../kernel/raw-json.ts";
import { Refusal } from "../../kernel/refusal.ts";
import { NO_ROOTS } from "../../kernel/roots-for-tests.ts";
import type { Permitted, Stopped } from "../../kernel/stages.ts";
import type { TaskOrder, Tasks, TaskStore } from "../../kernel/tasks.ts";
import { TaskBook } from "./task-book.ts";
import { TaskPoller } from "./task-poller.ts";
import { keepTasks, LOCAL, taskRecord } from "./task-records-for-tests.ts";
import { createTasks } from "./tasks.ts";
import { TaskWaits } from "./task-waits.ts";

export const APPROVAL = "apr_1";
const DECLARED = '{"elicitation":{},"extensions":{"io.modelcontextprotocol/tasks":{}}}';
export const TASKS_DECLARED = { json: rawJson(DECLARED), value: JSON.parse(DECLARED) as Record<string, unknown> };

export const pendingRefusal = (id = APPROVAL): Refusal =>
  new Refusal("approval_pending", {
    message: `p__t waits for the approval ${id}.`,
    next: "Ask.",
    details: { approval_id: id, digest: "sha256:0", expires_at: "2999-01-01T00:00:00.000Z", how: {} },
  });

export const ended = (ending: Ending): Answer => ({
  ending,
  outcome: null,
  principal: LOCAL,
  evidenceId: null,
  tool: "p__t",
});
export const refused = (refusal: Refusal): Answer => ended({ kind: "refusal", refusal, stage: 8 });
export const RAN = ended({ kind: "result", json: rawJson('{"content":[],"n":1.0}'), isError: false });

export interface TestWaits {
  readonly store: TaskStore;
  readonly tasks: Tasks;
  readonly waits: TaskWaits;
  readonly book: TaskBook;
  /** What took the call path, in order. */
  readonly runs: RawCall[];
  readonly notes: string[];
  readonly bugs: unknown[];
  readonly approvals: Map<string, ApprovalRecord>;
  /** May its caller still call? */
  isAdmitted: boolean;
  decide(state: ApprovalState, over?: Partial<ApprovalRecord>): void;
  /** A call that has to wait; what its caller hears. */
  call(over?: Partial<RawCall>): Promise<Answer>;
  /** The state of a task, as its caller sees it. */
  get(id: string, over?: Partial<TaskOrder>): Promise<any>;
  close(): void;
}

export const orderOf = (id: string, over: Partial<TaskOrder> = {}): TaskOrder => ({
  id,
  provider: null,
  principal: LOCAL,
  presented: { kind: "bearer", token: "secret-key" },
  declared: TASKS_DECLARED,
  meta: NO_MEMBERS,
  signal: new AbortController().signal,
  ...over,
});

const approvalOf = (id: string): ApprovalRecord =>
  ({ id, state: "pending", tool: "p__t", rule: "r", decisions: [] }) as unknown as ApprovalRecord;

/** A call as stage 8 leaves it. */
const stopped = (over: Partial<RawCall>): Stopped => {
  const { invocation, flatName } = taskRecord("tk_0");
  const provider = { name: "p" };
  const call = {
    door: "mcp",
    operation: "call",
    name: "p__t",
    provider: null,
    args: { a: 1 },
    argsJson: rawJson('{"a":1.0}'),
    extraParams: NO_MEMBERS,
    meta: NO_MEMBERS,
    traceparent: null,
    presented: { kind: "bearer", token: "secret-key" },
    asker: { ...NOBODY, declared: TASKS_DECLARED, returns: true },
    ids: { invocationId: "inv_first", correlation: { ...invocation.correlation } },
    principal: LOCAL,
    target: { provider, name: "t", flatName, tool: { definition: "sha256:0" } },
  };
  return { ...call, ...over } as unknown as Stopped;
};

export const openWaits = (handle: HandleCall, store: TaskStore = keepTasks(), isStarted = true): TestWaits => {
  const approvals = new Map([[APPROVAL, approvalOf(APPROVAL)]]);
  const listeners = new Set<(record: ApprovalRecord) => void>();
  const [runs, notes, bugs]: [RawCall[], string[], unknown[]] = [[], [], []];
  const reportBug = (error: unknown): void => void bugs.push(error);
  const book = new TaskBook(store, () => false);
  const findProvider = () => null;
  const poller = new TaskPoller({
    book,
    findProvider,
    recordEnd: () => Promise.resolve(),
    answerRoots: async () => true,
    reportBug,
  });
  const describe = () => ({ ...taskRecord("tk_0").invocation, id: "inv_first" });
  const note = async (_: unknown, { type }: { type: string }): Promise<void> => void notes.push(type);
  const errorOf = ({ ending }: Answer) =>
    rawJson(
      JSON.stringify({ code: 1403, message: "no", data: { kind: ending.kind === "refusal" && ending.refusal.kind } }),
    );
  const prepare = () => Promise.resolve();
  const waits = new TaskWaits({ book, describe, note, prepare, errorOf, reportBug });
  const identify = (): void => {
    if (!test.isAdmitted) throw new Refusal("unauthenticated", { message: "", next: "" });
  };
  const handleCall: HandleCall = (raw) => {
    runs.push(raw);
    return handle(raw);
  };
  const source = {
    handleCall,
    approvals: {
      get: (_: unknown, id: string) => approvals.get(id) ?? null,
      onChange: (listener: (record: ApprovalRecord) => void) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
  };
  const tasks = createTasks({
    book,
    poller,
    identify,
    reenter: (call) => {
      identify();
      return { ...call, target: { tool: { definition: "sha256:0" } } } as unknown as Permitted;
    },
    rootsOf: NO_ROOTS,
    findProvider,
    refuse: async (_, no) => refused(no as Refusal),
    note,
  });
  const test: TestWaits = {
    store,
    tasks,
    waits,
    book,
    runs,
    notes,
    bugs,
    approvals,
    isAdmitted: true,
    decide: (state, over = {}) => {
      const [id = APPROVAL] = [...approvals.keys()].slice(-1);
      const record = { ...approvalOf(id), state, ...over };
      approvals.set(record.id, record);
      for (const listener of listeners) listener(record);
    },
    call: (over = {}) => waits.defer(stopped(over), refused(pendingRefusal())),
    get: async (id, over) => {
      const { ending } = await tasks.get(orderOf(id, over));
      if (ending.kind !== "result") throw new Error(JSON.stringify(ending));
      return JSON.parse(ending.json) as unknown;
    },
    close: () => {
      waits.stop();
      poller.stop();
    },
  };
  if (isStarted) waits.start(source);
  return test;
};

/** The id of the task that the call became. */
export const taskIdOf = ({ ending }: Answer): string => {
  if (ending.kind !== "result") throw new Error(`it ended as ${ending.kind}`);
  return (JSON.parse(ending.json) as { taskId: string }).taskId;
};

export const statusOf = async (test: TestWaits, id: string): Promise<string> =>
  ((await test.get(id)) as { status: string }).status;

export const untilStatus = (test: TestWaits, id: string, status: string): Promise<void> =>
  vi.waitFor(async () => {
    const now = await statusOf(test, id);
    if (now !== status) throw new Error(`it is ${now}`);
  });
