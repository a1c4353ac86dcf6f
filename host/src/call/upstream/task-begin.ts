/**
 * The moment a call becomes a task. It is on disk before its caller hears of it, and followed from then on. A task that
 * cannot be given to its caller, or not be kept, is withdrawn at its server.
 */
import type { Ending } from "../../kernel/call.ts";
import { makeId } from "../../kernel/make-id.ts";
import type { Ask, Declared } from "../../kernel/ask.ts";
import { lacking } from "../../kernel/lacking.ts";
import type { Principal } from "../../kernel/principal.ts";
import type { Provider, ProviderAnswer } from "../../kernel/provider.ts";
import { rawJson } from "../../kernel/raw-json.ts";
import { Refusal } from "../../kernel/refusal.ts";
import { worksOnFiles } from "../../kernel/roots.ts";
import type { Opened } from "../../kernel/stages.ts";
import { declaresTasks, TASKS_REQUIRED, type OpenInvocation, type TaskRecord } from "../../kernel/tasks.ts";
import { keptArgs } from "./kept-args.ts";
import { missingCapabilities } from "./missing-capabilities.ts";
import type { TaskBook } from "./task-book.ts";
import type { TaskEntry } from "./task-entry.ts";
import type { TaskPoller } from "./task-poller.ts";
import { askAfterTask, withdrawTask, type AbandonedTask } from "./task-send.ts";
import { setTaskRootsAside } from "./task-roots.ts";
import { readTaskId, readTaskState, type TaskState } from "./task-state.ts";
import { viewTask } from "./task-view.ts";

type Partial = Extract<ProviderAnswer, { kind: "partial" }>;

/** Of what is declared; of more, the one thing that matters here. */
const MAX_DECLARED_CHARS = 4_096;

const ROOTS_LIST: Ask = { method: "roots/list", params: rawJson("{}"), key: null };

/** The host speaks for itself when it stops one: a server need not listen to somebody who does not know tasks. */
const TASKS_DECLARED: Declared = { json: rawJson(JSON.stringify(TASKS_REQUIRED)), value: TASKS_REQUIRED };

export interface TaskDesk {
  readonly book: TaskBook;
  readonly poller: TaskPoller;
  readonly describe: (call: Opened) => OpenInvocation;
  readonly note: (invocation: OpenInvocation, note: BeginNote) => Promise<void>;
  readonly reportBug: (error: unknown) => void;
}

interface BeginNote {
  readonly type: "dev.bailiwick.task_created" | "dev.bailiwick.late_answer";
  readonly facts: Readonly<Record<string, unknown>>;
  readonly said?: Readonly<Record<string, string>>;
}

/** The ending that gives the task to its caller. */
export const beginTask = async (call: Opened, answer: Partial, desk: TaskDesk): Promise<Ending> => {
  const upstreamId = readTaskId(answer.value);
  const state = readTaskState(answer.value);
  if (upstreamId === null || state === null) throw malformed(call);
  // A task of the host that goes on as its server's.
  const own = desk.book.ownOf(call.asker);
  if ((own === null && !call.asker.returns) || !declaresTasks(call.asker.declared)) {
    const no = undeclared(call);
    const unknown = (await hasStopped(call, upstreamId, desk)) ? undefined : notStopped(no);
    if (call.asker.returns) return missingCapabilities(TASKS_REQUIRED, rawJson("null"), unknown);
    throw unknown ?? no;
  }
  const id = own?.record.id ?? makeId("tk_");
  const record = recordOf(call, { id, upstreamId, state, invocation: desk.describe(call) });
  // Before it is kept: from then on nothing may fail here, or the call would have two outcomes.
  const json = viewTask(setTaskRootsAside(answer, record), { task: record, endpoint: call.provider });
  try {
    await keep(record, own, desk);
  } catch (no) {
    const stopped = await hasStopped(call, upstreamId, desk);
    if (!(no instanceof Refusal)) throw notKept(call, no, desk);
    throw stopped ? no : notStopped(no);
  }
  if (call.signal.aborted) await stopTask(whoseIs(call), upstreamId, desk);
  return { kind: "result", json, isError: false, open: true };
};

const keep = async (record: TaskRecord, own: TaskEntry | null, { book, poller, note }: TaskDesk): Promise<void> => {
  const entry = own ?? book.admit(record);
  const undo = own === null ? (): void => book.drop(entry) : book.handOver(own, record);
  try {
    await note(record.invocation, { type: "dev.bailiwick.task_created", facts: { task: record.id } });
    await book.keep(entry);
  } catch (no) {
    undo();
    throw no;
  }
  poller.follow(entry, record.pollMs);
};

/** A server that made a task after its call was given up is told so. */
export const withdrawLateTask = (whose: Whose, answer: ProviderAnswer, desk: TaskDesk): void => {
  if (answer.kind !== "partial" || answer.resultType !== "task") return;
  const upstreamId = readTaskId(answer.value);
  if (upstreamId === null) return;
  stopTask(whose, upstreamId, desk).catch(desk.reportBug);
};

interface Whose {
  readonly provider: Provider;
  readonly principal: Principal;
}

const whoseIs = ({ target, principal }: Opened): Whose => ({ provider: target.provider, principal });

/** As well as it can be done: the server may be gone, or not listen. Null: it said nothing. */
const stopTask = (whose: Whose, upstreamId: string, desk: TaskDesk): Promise<ProviderAnswer | null> =>
  orNothing(withdrawTask(whose.provider, abandoned(whose, upstreamId)), desk);

/** Stops it, and says whether its server did: a cancel is only acknowledged, what came of it is another question. */
const hasStopped = async (call: Opened, upstreamId: string, desk: TaskDesk): Promise<boolean> => {
  const whose = whoseIs(call);
  const said = await stopTask(whose, upstreamId, desk);
  if (said === null || isCancelled(said)) return said !== null;
  return isCancelled(await orNothing(askAfterTask(whose.provider, abandoned(whose, upstreamId)), desk));
};

const abandoned = ({ principal }: Whose, upstreamId: string): AbandonedTask => ({
  upstreamId,
  principal,
  declared: TASKS_DECLARED,
});

const orNothing = async (answer: Promise<ProviderAnswer>, { reportBug }: TaskDesk): Promise<ProviderAnswer | null> => {
  try {
    return await answer;
  } catch (no) {
    if (!(no instanceof Refusal)) reportBug(no);
    return null;
  }
};

const isCancelled = (said: ProviderAnswer | null): boolean =>
  said?.kind === "result" && readTaskState(said.value)?.status === "cancelled";

interface Begun {
  readonly id: string;
  readonly upstreamId: string;
  readonly state: TaskState;
  readonly invocation: OpenInvocation;
}

const recordOf = (call: Opened, { id, upstreamId, state, invocation }: Begun): TaskRecord => {
  const { target, principal, argsJson, asker } = call;
  const { json } = asker.declared;
  return {
    id,
    upstreamId,
    provider: target.provider.name,
    tool: target.name,
    definition: target.tool?.definition ?? "",
    flatName: target.flatName,
    principal,
    declared: json.length > MAX_DECLARED_CHARS ? JSON.stringify(TASKS_REQUIRED) : json,
    ...keptArgs(argsJson),
    ...(hasHostRoots(call) && { hostRoots: true }),
    invocation,
    createdAt: Date.now(),
    ttlMs: state.ttlMs,
    pollMs: state.pollMs,
    endedAt: null,
  };
};

const hasHostRoots = ({ required, asker }: Opened): boolean =>
  worksOnFiles(required) || lacking(ROOTS_LIST, asker.declared) !== null;

const malformed = ({ target }: Opened): Refusal =>
  new Refusal("upstream_failed", {
    message: `${target.flatName} answered with a task, and it is not what the protocol describes.`,
    next: "Report it to the author of the server.",
    details: { error: "malformed" },
  });

const undeclared = ({ target }: Opened): Refusal =>
  new Refusal("upstream_failed", {
    message: `${target.flatName} answered with a task, which this caller did not say that it can take.`,
    next: "Call it from a client that declares the extension io.modelcontextprotocol/tasks.",
    details: { error: "capability_not_declared", required_capabilities: TASKS_REQUIRED },
  });

/** The reason stands, but the task may have run all the same. */
const notStopped = ({ message, next, details }: Refusal): Refusal =>
  new Refusal("indeterminate", {
    message: `${message} Its server did not say that it stopped it, so nobody knows what was done.`,
    next: `Check its effect yourself. ${next}`,
    details: { ...details, error: "task_not_stopped" },
  });

/** Its server runs it, and was told to stop: nobody knows which came first. */
const notKept = ({ target }: Opened, error: unknown, { reportBug }: TaskDesk): Refusal => {
  reportBug(error);
  return new Refusal("indeterminate", {
    message: `${target.flatName} began a task that the host could not keep, so its server was told to stop it.`,
    next: "Check its effect yourself; `bailiwick doctor` says whether the work directory can be written.",
    details: { error: "task_not_kept" },
  });
};
