/**
 * Calls that wait for a person's decision as tasks, over restarts of the host too. None of them has a timer or a socket
 * while nobody decides: each hears of its approval.
 */
import type { Approvals } from "../../kernel/approvals.ts";
import type { Answer } from "../../kernel/call.ts";
import { idsOf } from "../../kernel/call-ids.ts";
import { HostError } from "../../kernel/host-error.ts";
import { makeId, randomSlice } from "../../kernel/make-id.ts";
import { rawJson, rawMembers } from "../../kernel/raw-json.ts";
import { Refusal } from "../../kernel/refusal.ts";
import { insertMembers, memberOf } from "../../kernel/scan-json.ts";
import type { Opened, Stopped, Target } from "../../kernel/stages.ts";
import { declaresTasks, TASKS_REQUIRED, type TaskRecord, type WaitingCall } from "../../kernel/tasks.ts";
import { keptArgs } from "./kept-args.ts";
import type { TaskDesk } from "./task-begin.ts";
import type { TaskEntry } from "./task-entry.ts";
import { WaitingTask, type WaitingOptions } from "./task-waiting.ts";

const POLL_MS = 1_000;
/** Of what has to be said again. A longer call is not kept: its caller repeats it. */
const MAX_SAID_CHARS = 512 * 1024;
const MAX_DECLARED_CHARS = 4_096;

export interface TaskWaitsOptions
  extends Pick<TaskDesk, "book" | "describe" | "note" | "reportBug">, Pick<WaitingOptions, "prepare" | "errorOf"> {}

export interface WaitsSource extends Pick<WaitingOptions, "handleCall"> {
  readonly approvals: Pick<Approvals, "get" | "onChange">;
}

type Pending = Stopped & { readonly principal: TaskRecord["principal"]; readonly target: Target };

export class TaskWaits {
  readonly #options: TaskWaitsOptions;
  readonly #waiting = new Set<WaitingTask>();
  #source: WaitsSource | null = null;
  #endNotices = (): void => {};

  /** Those of earlier runs are there at once, and go on when it starts. */
  constructor(options: TaskWaitsOptions) {
    this.#options = options;
    for (const entry of options.book.all()) if (entry.record.waits !== undefined) this.#add(entry);
  }

  /** To be called when there are providers, and doors at which somebody asks after tasks. */
  start(source: WaitsSource): void {
    if (this.#source !== null) return;
    this.#source = source;
    this.#endNotices = source.approvals.onChange(({ id }) => {
      for (const task of this.#waiting) if (task.approval === id) task.look();
    });
    for (const task of this.#waiting) task.look();
  }

  stop(): void {
    this.#endNotices();
    for (const task of this.#waiting) task.stop();
  }

  /** The refusal of a call that waits for a decision becomes a task, where its caller takes one; all others stay as they are. */
  async defer(call: Stopped, answer: Answer): Promise<Answer> {
    const { ending } = answer;
    if (ending.kind !== "refusal" || ending.refusal.kind !== "approval_pending" || !takesTask(call)) return answer;
    try {
      return (await this.#begin(call, ending.refusal, answer)) ?? answer;
    } catch (no) {
      // No place, or not to be written: then it is what it is for everybody else.
      if (!(no instanceof Refusal)) this.#options.reportBug(no);
      return answer;
    }
  }

  async #begin(call: Pending, { details, message }: Refusal, answer: Answer): Promise<Answer | null> {
    const { book, note } = this.#options;
    const record = this.#recordOf(call, { approval: String(details["approval_id"]), message });
    if (this.#source === null || record === null) return null;
    const entry = book.admit(record);
    try {
      const facts = { task: record.id, approval_id: details["approval_id"] };
      await note(record.invocation, { type: "dev.bailiwick.task_created", facts });
      await book.keep(entry);
    } catch (no) {
      book.drop(entry);
      throw no;
    }
    const task = this.#add(entry);
    const { approval_id: id, digest, expires_at, how } = details;
    const meta = { "dev.bailiwick/approval": { approval_id: id, digest, expires_at, how } };
    const shown = insertMembers(task.view().json, rawMembers(`"_meta":${JSON.stringify(meta)}`));
    task.look();
    return { ...answer, outcome: null, ending: { kind: "result", json: asCreated(shown), isError: false, open: true } };
  }

  #add(entry: TaskEntry): WaitingTask {
    const task = new WaitingTask(entry, {
      ...this.#options,
      handleCall: (call) => this.#begun().handleCall(call),
      findApproval: (reader, id) => this.#begun().approvals.get(reader, id),
      done: (over) => this.#waiting.delete(over),
    });
    entry.own = task;
    if (entry.record.endedAt === null) this.#waiting.add(task);
    return task;
  }

  #begun(): WaitsSource {
    if (this.#source === null) throw new HostError("a task went on before the host had started");
    return this.#source;
  }

  /** Null: it is too long to be kept. */
  #recordOf(call: Pending, { approval, message }: Pick<WaitingCall, "approval" | "message">): TaskRecord | null {
    const { target, principal, argsJson, asker, presented } = call;
    const { name, provider, extraParams, meta, traceparent } = call;
    const { invocationId: id, correlation } = idsOf(call);
    const invocation = { id, correlation, salt: randomSlice(16), evidenceIds: [], startedAt: Date.now() };
    const said = { name, provider, argsJson, extraParams, meta, traceparent };
    const waits: WaitingCall = { approval, presented, said, message, run: null, end: null };
    const { json } = asker.declared;
    const record: TaskRecord = {
      id: makeId("tk_"),
      upstreamId: "",
      provider: target.provider.name,
      tool: target.name,
      definition: target.tool?.definition ?? "",
      flatName: target.flatName,
      principal,
      declared: json.length > MAX_DECLARED_CHARS ? JSON.stringify(TASKS_REQUIRED) : json,
      ...keptArgs(argsJson),
      invocation: this.#options.describe({ ...call, invocation } as Opened),
      createdAt: Date.now(),
      ttlMs: null,
      pollMs: POLL_MS,
      endedAt: null,
      waits,
    };
    // Copied: a slice would keep the whole request in memory.
    const text = JSON.stringify(record);
    return text.length > MAX_SAID_CHARS ? null : (JSON.parse(text) as TaskRecord);
  }
}

/** Only tools begin tasks, and only for who comes back for them. */
const takesTask = (call: Stopped): call is Pending =>
  call.operation === "call" &&
  call.asker.returns &&
  declaresTasks(call.asker.declared) &&
  call.target !== undefined &&
  call.principal !== undefined;

/** What begins one says so; all else is as when it is asked after. */
const asCreated = (json: ReturnType<typeof rawJson>): ReturnType<typeof rawJson> => {
  const type = memberOf(json, "resultType");
  return type === null ? json : rawJson(`${json.slice(0, type.start)}"task"${json.slice(type.end)}`);
};
