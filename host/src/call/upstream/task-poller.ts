/**
 * Follows every open task until it ends, whether or not anybody asks, and writes its outcome once. A server that is away is
 * tried again less and less often; a task that its server does not know any more ended nobody knows how.
 */
import type { Ask, Declared } from "../../kernel/ask.ts";
import type { Ending } from "../../kernel/call.ts";
import type { Principal } from "../../kernel/principal.ts";
import type { Provider, ProviderAnswer } from "../../kernel/provider.ts";
import { rawJson } from "../../kernel/raw-json.ts";
import { Refusal } from "../../kernel/refusal.ts";
import { memberOf, sliceJson } from "../../kernel/scan-json.ts";
import type { OpenInvocation, TaskRecord } from "../../kernel/tasks.ts";
import { lifeOf, type TaskBook } from "./task-book.ts";
import { taskEnding, taskLost } from "./task-ending.ts";
import type { TaskEntry } from "./task-entry.ts";
import { rootsAsked, setTaskRootsAside } from "./task-roots.ts";
import { sendAboutTask } from "./task-send.ts";
import { isTerminal, readTaskState } from "./task-state.ts";
import { tellWatchers } from "./task-watching.ts";
import type { TaskText } from "./task-view.ts";

const FIRST_RETRY_MS = 500;
const MAX_RETRY_MS = 30_000;
/** Polls are so far apart on average, however many tasks there are. */
const APART_MS = 5;
const GRACE_MS = 3_600_000;
const SWEEP_MS = 60_000;
const INVALID_PARAMS = -32602;
const SOON_MS = 50;

export interface PollerOptions {
  readonly book: TaskBook;
  /** As this principal sees it; null: it is not there. */
  readonly findProvider: (name: string, principal: Principal) => Provider | null;
  readonly recordEnd: (
    invocation: OpenInvocation,
    ended: { readonly ending: Ending; readonly durationMs: number },
  ) => Promise<void>;
  /** Answers questions for roots that are the host's to answer. False: its server is not there. Throws as `Provider.send`. */
  readonly answerRoots: (entry: TaskEntry, asks: readonly Ask[]) => Promise<boolean>;
  readonly reportBug: (error: unknown) => void;
}

/** What the caller declared when the task was made: the host polls for it, and claims no more. */
export const declaredOf = ({ declared }: TaskRecord): Declared => ({
  json: rawJson(declared),
  value: JSON.parse(declared) as Declared["value"],
});

/** The server does not know it, or not any more. */
export const isUnknown = (answer: ProviderAnswer): boolean => answer.kind === "error" && answer.code === INVALID_PARAMS;

/** As they came, to be committed to with their answers; null: it asks nothing. */
const questionsIn = ({ json, value }: TaskText): string | null => {
  const span = value["status"] === "input_required" ? memberOf(json, "inputRequests") : null;
  return span && sliceJson(json, span);
};

export class TaskPoller {
  readonly #options: PollerOptions;
  readonly #sweeping: NodeJS.Timeout;
  #stopped = false;

  constructor(options: PollerOptions) {
    this.#options = options;
    this.#sweeping = setInterval(() => options.book.sweep(), SWEEP_MS).unref();
    let afterMs = FIRST_RETRY_MS;
    for (const entry of options.book.open())
      if (entry.record.waits === undefined) this.follow(entry, (afterMs += APART_MS));
  }

  follow(entry: TaskEntry, afterMs: number): void {
    if (entry.timer !== null) clearTimeout(entry.timer);
    entry.timer = null;
    if (this.#stopped) return;
    entry.timer = setTimeout(() => {
      entry.timer = null;
      this.#poll(entry).catch(this.#options.reportBug);
    }, afterMs).unref();
  }

  /**
   * Whoever asked: what a server said of a task is all that is needed to go on with it. False: it has ended, and that is
   * not recorded, so nobody may see it yet.
   */
  async saw(entry: TaskEntry, task: TaskText): Promise<boolean> {
    const state = readTaskState(task.value);
    if (state === null) {
      await this.#learnedNothing(entry);
      return true;
    }
    if (isTerminal(state)) {
      if (!(await this.#settle(entry, taskEnding(entry.record, task)))) return false;
      tellWatchers(entry, task);
      return true;
    }
    // An answer may have been overtaken by the one that ended it.
    if (entry.settling !== null || entry.record.endedAt !== null) return true;
    entry.failures = 0;
    const shown = setTaskRootsAside(task, entry.record);
    entry.questions = questionsIn(shown);
    tellWatchers(entry, shown);
    this.#answerRoots(entry, rootsAsked(task, entry.record)).catch(this.#options.reportBug);
    this.follow(entry, Math.max(state.pollMs, this.#options.book.openCount * APART_MS));
    return true;
  }

  /** Each once, however often they are seen; what could not be sent is tried again at the next poll. */
  async #answerRoots(entry: TaskEntry, asked: readonly Ask[]): Promise<void> {
    const open = asked.filter(({ key }) => !entry.rootsAnswered.has(key ?? ""));
    entry.rootsAnswered = new Set(asked.map(({ key }) => key ?? ""));
    if (open.length === 0) return;
    const again = (): void => {
      const keys = new Set(open.map(({ key }) => key ?? ""));
      entry.rootsAnswered = new Set([...entry.rootsAnswered].filter((key) => !keys.has(key)));
    };
    try {
      if (!(await this.#options.answerRoots(entry, open))) again();
      else if (entry.settling === null && entry.record.endedAt === null) this.follow(entry, SOON_MS);
    } catch (no) {
      again();
      if (!(no instanceof Refusal)) throw no;
    }
  }

  /** Its server says that there is no such task. */
  async lost(entry: TaskEntry): Promise<void> {
    await this.#settle(entry, taskLost(entry.record, "its server does not know it any more"));
  }

  stop(): void {
    this.#stopped = true;
    clearInterval(this.#sweeping);
    for (const entry of this.#options.book.all()) {
      if (entry.timer !== null) clearTimeout(entry.timer);
      entry.polling?.abort();
    }
  }

  async #poll(entry: TaskEntry): Promise<void> {
    if (entry.polling !== null) return;
    entry.polling = new AbortController();
    let answer: ProviderAnswer | null;
    try {
      answer = await this.#ask(entry, entry.polling.signal);
    } finally {
      entry.polling = null;
    }
    if (this.#stopped) return;
    if (answer === null || answer.kind === "partial") return this.#learnedNothing(entry);
    if (answer.kind === "result") await this.saw(entry, answer);
    else await (isUnknown(answer) ? this.lost(entry) : this.#learnedNothing(entry));
  }

  /** Null: there is no answer to be had now. */
  async #ask({ record }: TaskEntry, signal: AbortSignal): Promise<ProviderAnswer | null> {
    const { principal, upstreamId } = record;
    const provider = this.#options.findProvider(record.provider, principal);
    if (provider?.status().state !== "running") return null;
    try {
      const declared = declaredOf(record);
      return await sendAboutTask(provider, { method: "tasks/get", upstreamId, principal, declared, signal });
    } catch (no) {
      if (no instanceof Refusal) return null;
      throw no;
    }
  }

  async #learnedNothing(entry: TaskEntry): Promise<void> {
    if (entry.record.endedAt !== null) return;
    if (Date.now() <= lifeOf(entry.record) + GRACE_MS) return this.#tryAgain(entry);
    await this.#settle(entry, taskLost(entry.record, "its server could not be asked for as long as it was kept"));
  }

  #tryAgain(entry: TaskEntry): void {
    this.follow(entry, Math.min(FIRST_RETRY_MS * 2 ** Math.min(entry.failures++, 10), MAX_RETRY_MS));
  }

  /** However many see the end at once, it is written once, and all wait for that. */
  #settle(entry: TaskEntry, ending: Ending): Promise<boolean> {
    if (entry.record.endedAt !== null) return Promise.resolve(true);
    entry.settling ??= this.#record(entry, ending).finally(() => (entry.settling = null));
    return entry.settling;
  }

  /** False: it could not be written, and is tried again. */
  async #record(entry: TaskEntry, ending: Ending): Promise<boolean> {
    const { record } = entry;
    if (this.#stopped) return false;
    if (entry.timer !== null) clearTimeout(entry.timer);
    try {
      await this.#options.recordEnd(record.invocation, { ending, durationMs: Date.now() - record.createdAt });
    } catch (no) {
      this.#tryAgain(entry);
      if (!(no instanceof Refusal)) throw no;
      return false;
    }
    // What the store does not take is found out from the outcome at the next start.
    this.#options.book.end(entry).catch(this.#options.reportBug);
    return true;
  }
}
