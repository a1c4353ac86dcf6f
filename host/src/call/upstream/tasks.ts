/**
 * Tasks as callers meet them: begun by a call, asked after, answered and cancelled by whoever began them and by nobody
 * else. Every request about one passes gates 2 to 6 anew, but a cancel only gate 2; what is done to one is recorded before
 * it is done, and how it ended before that is shown.
 */
import { NOBODY } from "../../kernel/ask.ts";
import type { Answer, Ending, RawCall } from "../../kernel/call.ts";
import type { Principal } from "../../kernel/principal.ts";
import type { Provider, ProviderAnswer, TaskMethod } from "../../kernel/provider.ts";
import { NO_MEMBERS, rawJson, type RawJson } from "../../kernel/raw-json.ts";
import { Refusal } from "../../kernel/refusal.ts";
import type { RootsOf } from "../../kernel/roots.ts";
import { rootsOfCall } from "../../kernel/roots-of-call.ts";
import { advance, type Permitted, type Stopped, type Target } from "../../kernel/stages.ts";
import type { OpenInvocation, TaskOrder, TaskRecord, Tasks } from "../../kernel/tasks.ts";
import { argsOf } from "./kept-args.ts";
import { missingCapabilities } from "./missing-capabilities.ts";
import { neededCapabilities } from "./needed-capabilities.ts";
import { membersWithout, ownRoots } from "./root-answers.ts";
import type { TaskBook } from "./task-book.ts";
import type { TaskEntry, TaskWatcher } from "./task-entry.ts";
import { declaredOf, isUnknown, type TaskPoller } from "./task-poller.ts";
import { setTaskRootsAside } from "./task-roots.ts";
import { sendAboutTask, type TaskSending } from "./task-send.ts";
import { readTaskState } from "./task-state.ts";
import { tellWatchers } from "./task-watching.ts";
import { questionsOf, viewTask, type TaskText } from "./task-view.ts";

const STAGE = 10;
const READY_WAIT_MS = 2_000;
const DONE: Ending = { kind: "result", json: rawJson("{}"), isError: false };
const SOON_MS = 50;

export interface TasksOptions {
  readonly book: TaskBook;
  readonly poller: TaskPoller;
  /** Gate 2; throws its Refusal. */
  readonly identify: (call: RawCall) => void;
  /** Gates 2 to 6; throws their Refusal. */
  readonly reenter: (call: RawCall) => Permitted;
  readonly rootsOf: RootsOf;
  /** As this principal sees it; null: it is not there. */
  readonly findProvider: (name: string, principal: Principal) => Provider | null;
  readonly refuse: (call: Stopped, no: unknown) => Promise<Answer>;
  readonly note: (invocation: OpenInvocation, note: ActNote) => Promise<void>;
}

interface ActNote {
  readonly type: "dev.bailiwick.task_cancel" | "dev.bailiwick.round";
  readonly facts: Readonly<Record<string, unknown>>;
  readonly said?: Readonly<Record<string, string>>;
}

interface Steps<Cleared> {
  /** Throws the Refusal of the gate that says no. */
  readonly clear: (raw: RawCall, entry: TaskEntry) => Cleared;
  readonly act: (entry: TaskEntry, cleared: Cleared) => Promise<Ending>;
}

export const createTasks = (options: TasksOptions): Tasks => {
  const { book, poller, identify, reenter, rootsOf, findProvider, refuse, note } = options;

  /** Asks the gates, then acts. Only what the gates say is a refusal of its own; the rest belongs to the task's call. */
  const govern = async <Cleared>(
    order: TaskOrder,
    method: TaskMethod,
    { clear, act }: Steps<Cleared>,
  ): Promise<Answer> => {
    const entry = book.find(order);
    const raw = rawCall(order, entry, method);
    let cleared: Cleared;
    try {
      if (!entry) throw unknownTask();
      cleared = clear(raw, entry);
    } catch (no) {
      return refuse(entry ? raw : advance(raw, { principal: order.principal }), no);
    }
    try {
      return answer(order, entry, await act(entry, cleared));
    } catch (no) {
      if (!(no instanceof Refusal)) throw no;
      return answer(order, entry, { kind: "refusal", refusal: no, stage: STAGE });
    }
  };

  const permit = (raw: RawCall): Target => reenter(raw).target;

  /** To end what one began takes no leave to begin it. */
  const identifyOwner = (raw: RawCall, { record, own }: TaskEntry): Provider | null => {
    identify(raw);
    const provider = findProvider(record.provider, record.principal);
    if (provider === null && own === null) throw away(record);
    return provider;
  };

  /** What the server says to an answer or a cancel is not about how the task ends: that, the next poll finds out. */
  const acknowledge = (entry: TaskEntry, said: ProviderAnswer, endpoint: string | null): Ending => {
    poller.follow(entry, SOON_MS);
    if (said.kind === "error") return said;
    if (said.kind === "partial") throw malformed(entry);
    const shown = setTaskRootsAside(said, entry.record);
    return { kind: "result", json: viewTask(shown, { task: entry.record, endpoint }), isError: false };
  };

  return {
    get: (order) =>
      govern(order, "tasks/get", {
        clear: permit,
        act: async (entry, { provider }) => {
          if (entry.own !== null) {
            entry.own.seen(order.presented);
            return show(entry.own.view(), entry, order);
          }
          const said = await send(provider, sendingOf(order, entry, "tasks/get"));
          if (isUnknown(said)) {
            await poller.lost(entry);
            throw unknownTask();
          }
          if (said.kind === "error") return said;
          if (said.kind === "partial") throw malformed(entry);
          if (!(await poller.saw(entry, said))) throw unrecorded(entry);
          return show(said, entry, order);
        },
      }),

    update: (order, responses) =>
      govern(order, "tasks/update", {
        clear: reenter,
        act: async (entry, { target, required }) => {
          refuseChangedDefinition(entry, target);
          // Its call runs here, and records what was asked and answered.
          if (entry.own !== null) {
            entry.own.answer(responses, order.presented);
            return DONE;
          }
          const listing = (): RawJson => rootsOfCall(rootsOf, entry.record).listing;
          const others = rawJson(`{${membersWithout(responses, entry.rootsAnswered)}}`);
          const said = ownRoots(others, required, listing);
          await note(entry.record.invocation, {
            type: "dev.bailiwick.round",
            facts: { method: "tasks/update", task: entry.record.id },
            said: { question_commitment: entry.questions ?? "null", answer_commitment: said },
          });
          const sending = { ...sendingOf(order, entry, "tasks/update"), responses: said };
          return acknowledge(entry, await send(target.provider, sending), order.provider);
        },
      }),

    cancel: (order) =>
      govern(order, "tasks/cancel", {
        clear: identifyOwner,
        act: async (entry, provider) => {
          const { id, invocation } = entry.record;
          await note(invocation, { type: "dev.bailiwick.task_cancel", facts: { task: id } });
          if (entry.own !== null || provider === null) {
            await entry.own?.cancel();
            return DONE;
          }
          return acknowledge(entry, await send(provider, sendingOf(order, entry, "tasks/cancel")), order.provider);
        },
      }),

    watch: (task, changed) => {
      const entry = book.find(task);
      if (!entry) return null;
      const watcher: TaskWatcher = { endpoint: task.provider, declared: task.declared, changed, told: null };
      entry.watchers.add(watcher);
      if (entry.own === null) poller.follow(entry, SOON_MS);
      else setImmediate(() => entry.own && tellWatchers(entry, entry.own.view()));
      return () => entry.watchers.delete(watcher);
    },
  };
};

const send = async (provider: Provider, sending: TaskSending): Promise<ProviderAnswer> => {
  await provider.whenReady(READY_WAIT_MS, sending.signal);
  return sendAboutTask(provider, sending);
};

const sendingOf = (
  { principal, declared, meta, signal }: TaskOrder,
  { record }: TaskEntry,
  method: TaskMethod,
): TaskSending => ({
  method,
  upstreamId: record.upstreamId,
  principal,
  declared,
  meta,
  signal,
});

/** What is asked of a caller that did not declare it is not shown to it. */
const show = (told: TaskText, entry: TaskEntry, { declared, provider }: TaskOrder): Ending => {
  const task = setTaskRootsAside(told, entry.record);
  const questions = questionsOf(task);
  if (questions === null || readTaskState(task.value) === null) throw malformed(entry);
  const needed = neededCapabilities(questions, declared);
  if (needed !== null) return missingCapabilities(needed, rawJson("null"));
  const json = entry.own === null ? viewTask(task, { task: entry.record, endpoint: provider }) : task.json;
  return { kind: "result", json, isError: false };
};

/** The call that began the task, once more, for the gates. It names that one as its cause. */
const rawCall = (order: TaskOrder, entry: TaskEntry | null, method: TaskMethod): RawCall => {
  const record = entry?.record ?? null;
  return {
    door: "mcp",
    operation: "call",
    name: record?.tool ?? method,
    provider: record?.provider ?? order.provider,
    ...argsOf(record),
    extraParams: NO_MEMBERS,
    meta: NO_MEMBERS,
    providerHint: null,
    traceparent: null,
    presented: order.presented,
    verified: null,
    surface: null,
    signal: order.signal,
    listener: SILENT,
    asker: { ...NOBODY, declared: record ? declaredOf(record) : order.declared },
    input: null,
    continues: record && { kind: "relay", invocationId: record.invocation.id, round: 0, questions: "", target: "" },
    envelope: null,
    approvalWaitMs: 0,
  };
};

const SILENT: RawCall["listener"] = Object.freeze({ progress: () => {}, log: () => {}, level: () => null });

const answer = ({ principal }: TaskOrder, entry: TaskEntry | null, ending: Ending): Answer => ({
  ending,
  outcome: null,
  principal,
  evidenceId: null,
  tool: entry?.record.flatName ?? null,
});

const refuseChangedDefinition = ({ record }: TaskEntry, { tool }: Target): void => {
  if (tool?.definition === record.definition) return;
  throw new Refusal("stale_surface", {
    message: `${record.flatName} changed while its task waited for an answer.`,
    next: "List the tools again and repeat the call.",
  });
};

const unknownTask = (): Refusal =>
  new Refusal("resource_not_found", {
    message: "There is no task of this id, or none any more.",
    next: "Use the taskId of a task that this client began; a task is kept for its ttlMs, and an hour after its end.",
  });

const away = ({ flatName, provider }: TaskRecord): Refusal =>
  new Refusal("not_ready", {
    message: `The provider of ${flatName} is not there, so its task cannot be cancelled now.`,
    next: `Cancel it again when ${provider} is back; \`bailiwick doctor\` shows the providers.`,
  });

const unrecorded = ({ record }: TaskEntry): Refusal =>
  new Refusal("outcome_unrecorded", {
    message: `The task of ${record.flatName} has ended, but that could not be recorded, so its result is not handed out.`,
    next: "Ask again later: the host goes on trying; `bailiwick doctor` says what is wrong with the log.",
  });

const malformed = ({ record }: TaskEntry): Refusal =>
  new Refusal("upstream_failed", {
    message: `The server of ${record.flatName} told of its task in a form that the protocol does not describe.`,
    next: "Report it to the author of the server.",
    details: { error: "malformed" },
  });
