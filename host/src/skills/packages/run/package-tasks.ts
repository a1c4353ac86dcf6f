/**
 * Calls of `async` tools that go on after their request was answered. Kept in memory for an hour: a task of an earlier run of
 * the host is unknown here, and the host then records that nobody knows how it ended.
 */
import { makeId } from "../../../kernel/make-id.ts";
import type { ProviderAnswer } from "../../../kernel/provider.ts";
import { rawJson, rawMembers, type RawJson } from "../../../kernel/raw-json.ts";
import { Refusal } from "../../../kernel/refusal.ts";
import { insertMembers } from "../../../kernel/scan-json.ts";
import type { ReadOutput } from "./read-output.ts";
import { tooManyTasks } from "./run-refusals.ts";

const TTL_MS = 3_600_000;
const POLL_MS = 1_000;
const MAX_RUNNING = 200;
/** Beyond these numbers those that were fetched go first, the oldest before the others. */
const MAX_KEPT = 1_000;
const MAX_CHARS = 64 << 20;
/** Nobody fetches them; whoever comes for one then hears that nobody knows how it ended. */
const MAX_UNFETCHED_CHARS = 256 << 20;
const INVALID_PARAMS = -32602;
const INTERNAL = -32603;

type End =
  | { readonly status: "completed"; readonly member: "result"; readonly json: RawJson }
  | { readonly status: "failed"; readonly member: "error"; readonly json: RawJson }
  | { readonly status: "cancelled" };

interface Task {
  readonly id: string;
  readonly createdAt: number;
  readonly abort: AbortController;
  readonly ended: Promise<void>;
  updatedAt: number;
  end: End | null;
  fetched: boolean;
}

export type Work = (signal: AbortSignal) => Promise<ReadOutput>;

export class PackageTasks {
  readonly #provider: string;
  readonly #tasks = new Map<string, Task>();
  /** Set while something ended is kept, so that it goes also if nobody begins another. */
  #sweep: NodeJS.Timeout | null = null;

  constructor(provider: string) {
    this.#provider = provider;
  }

  /** The answer that gives the task to the host. `work` is on its way when this returns. */
  begin(work: Work): ProviderAnswer {
    const running = [...this.#tasks.values()].filter(({ end }) => end === null);
    if (running.length >= MAX_RUNNING) throw tooManyTasks(this.#provider);
    this.#makeRoom(1);
    const abort = new AbortController();
    const now = Date.now();
    const id = makeId("pt_");
    const ended = work(abort.signal).then(
      (output) => this.#finish(id, completed(output)),
      (error: unknown) => this.#finish(id, endOf(error, abort.signal)),
    );
    const task: Task = { id, createdAt: now, abort, ended, updatedAt: now, end: null, fetched: false };
    this.#tasks.set(id, task);
    const value = { resultType: "task", ...stateOf(task) };
    return { kind: "partial", resultType: "task", json: rawJson(JSON.stringify(value)), value };
  }

  get(id: string): ProviderAnswer {
    const task = this.#tasks.get(id);
    return task === undefined ? unknown() : show(task);
  }

  /** Answers when the process is gone, or when nobody waits for that any longer. */
  async cancel(id: string, signal: AbortSignal): Promise<ProviderAnswer> {
    const task = this.#tasks.get(id);
    if (task === undefined) return unknown();
    task.abort.abort();
    await Promise.race([task.ended, aborted(signal)]);
    return show(task);
  }

  /** Resolves when nothing runs any more. */
  async settled(): Promise<void> {
    await Promise.all([...this.#tasks.values()].map(({ ended }) => ended));
  }

  #finish(id: string, end: End): void {
    const task = this.#tasks.get(id);
    if (task === undefined) return;
    task.end = end;
    task.updatedAt = Date.now();
    this.#makeRoom(0);
    if (this.#sweep !== null) return;
    this.#sweep = setTimeout(() => {
      this.#sweep = null;
      this.#makeRoom(0);
    }, TTL_MS + POLL_MS).unref();
  }

  /** What was not fetched yet goes last. */
  #makeRoom(more: number): void {
    const due = Date.now() - TTL_MS;
    for (const { id, end, updatedAt } of this.#tasks.values()) if (end && updatedAt < due) this.#tasks.delete(id);
    const ended = [...this.#tasks.values()].filter(({ end }) => end !== null);
    let chars = ended.reduce((sum, task) => sum + sizeOf(task), 0);
    for (const task of ended.toSorted((a, b) => Number(b.fetched) - Number(a.fetched))) {
      const most = task.fetched ? MAX_CHARS : MAX_UNFETCHED_CHARS;
      if (this.#tasks.size + more <= MAX_KEPT && chars <= most) continue;
      this.#tasks.delete(task.id);
      chars -= sizeOf(task);
    }
  }
}

/** In a task it is nobody else's business to say that a result is whole. */
const completed = ({ json, value }: ReadOutput): End => {
  const whole = value["resultType"] === undefined ? insertMembers(json, rawMembers('"resultType":"complete"')) : json;
  return { status: "completed", member: "result", json: whole };
};

const sizeOf = ({ end }: Task): number => (end !== null && "json" in end ? end.json.length : 0);

const stateOf = ({ id, createdAt, updatedAt, end }: Task): Readonly<Record<string, unknown>> => ({
  taskId: id,
  status: end?.status ?? "working",
  createdAt: new Date(createdAt).toISOString(),
  lastUpdatedAt: new Date(updatedAt).toISOString(),
  ttlMs: TTL_MS,
  pollIntervalMs: POLL_MS,
});

const show = (task: Task): ProviderAnswer => {
  const { end } = task;
  const state = { resultType: "complete", ...stateOf(task) };
  const text = JSON.stringify(state);
  if (end !== null) task.fetched = true;
  if (end === null || end.status === "cancelled")
    return { kind: "result", json: rawJson(text), isError: false, value: state };
  const json = rawJson(`${text.slice(0, -1)},"${end.member}":${end.json}}`);
  return { kind: "result", json, isError: false, value: { ...state, [end.member]: JSON.parse(end.json) as unknown } };
};

/** A Refusal says why; anything else is a bug, of which nobody outside hears the inside. */
const endOf = (error: unknown, signal: AbortSignal): End => {
  if (error instanceof Refusal && error.kind === "cancelled" && signal.aborted) return { status: "cancelled" };
  const value =
    error instanceof Refusal
      ? { code: INTERNAL, message: error.message, data: { kind: error.kind, ...error.details, remedy: error.next } }
      : { code: INTERNAL, message: "The host failed while it ran this task." };
  return { status: "failed", member: "error", json: rawJson(JSON.stringify(value)) };
};

const unknown = (): ProviderAnswer => {
  const error = { code: INVALID_PARAMS, message: "There is no such task here." };
  return { kind: "error", ...error, json: rawJson(JSON.stringify(error)) };
};

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
