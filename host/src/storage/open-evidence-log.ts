/**
 * The evidence log as the rooms use it. Writers share a group commit without a timer: what arrives while one commit runs is
 * the next one. A first draft goes to the worker at once, those that follow while it is busy as one batch a turn. All hashing and writing happens on a worker thread; here drafts are only queued and acknowledged.
 */
import { mkdirSync } from "node:fs";
import { Worker } from "node:worker_threads";
import type { EvidenceDraft, EvidenceLog, EvidenceReceipt } from "../kernel/evidence.ts";
import { HostError } from "../kernel/host-error.ts";
import { Refusal } from "../kernel/refusal.ts";
import { EVENT_ID_CHARS, type Durability } from "./compose-event.ts";
import { packDraft, STRIDE } from "./draft-fields.ts";
import type { FromWorker, ToWorker, WorkerOptions } from "./worker-messages.ts";

export interface EvidenceLogOptions {
  readonly dir: string;
  readonly hostId: string;
  /** As in the events: dev, test, pilot or prod. */
  readonly environment: string;
  readonly durability: Durability;
  /** Invocations of an earlier run that are still followed, so they do not end with it; default: none. */
  readonly keepOpen?: readonly string[];
}

export interface OpenEvidenceLog extends EvidenceLog {
  /** How many calls of an earlier run were ended as indeterminate. */
  readonly recovered: number;
  /** Those of `keepOpen` that have no outcome yet. */
  readonly kept: ReadonlySet<string>;
  /** The last sequence at opening. */
  readonly openedAt: number;
  /** Why the store cannot be written; null while it can. */
  problem(): string | null;
}

interface Waiter {
  readonly resolve: (receipt: EvidenceReceipt) => void;
  readonly reject: (error: Error) => void;
}

interface Batch {
  text: string;
  readonly waiters: Waiter[];
}

const MAX_BATCH_EVENTS = 512;
const MAX_BATCH_CHARS = 4 << 20;
const MAX_DRAFT_CHARS = 1 << 20;
const MAX_WAITING = 65_536;
const PROBE_MS = 1000;

const unavailable = (reason: string): Refusal =>
  new Refusal("evidence_unavailable", {
    message: `Evidence cannot be written: ${reason}. Nothing runs unrecorded, so the call was not made.`,
    next: "Run `bailiwick doctor` on the host; it names the file and what is wrong with it.",
  });

const lineEndsOf = (text: string): number => {
  let count = 0;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) count++;
  return count;
};

/** What would spoil the log for everybody: a line end in a field, or a batch no string can hold. */
const defectOf = (packed: string): string | null => {
  if (packed.length > MAX_DRAFT_CHARS) return `has ${packed.length} characters, more than ${MAX_DRAFT_CHARS}`;
  return lineEndsOf(packed) === STRIDE ? null : "holds text that is not canonical";
};

class WorkerLog implements OpenEvidenceLog {
  readonly recovered: number;
  readonly kept: ReadonlySet<string>;
  readonly openedAt: number;
  readonly #worker: Worker;
  #queue: Batch[] = [];
  #waiting = 0;
  /** With the worker, in the order in which they were sent. */
  #sent: Batch[] = [];
  #scheduled = false;
  #problem: string | null = null;
  #dead = false;
  #probe: NodeJS.Timeout | null = null;
  #closing: PromiseWithResolvers<void> | null = null;
  #closeProblem: string | null = null;

  constructor(worker: Worker, opened: Extract<FromWorker, { kind: "opened" }>) {
    this.#worker = worker;
    this.recovered = opened.recovered;
    this.kept = new Set(opened.kept);
    this.openedAt = opened.lastSequence;
    worker.on("message", (message: FromWorker) => this.#hear(message));
    worker.on("error", (error: Error) => this.#die(`its thread failed (${error.message})`));
    worker.on("exit", () => this.#die("its thread has ended"));
  }

  append(draft: EvidenceDraft): Promise<EvidenceReceipt> {
    if (this.#dead || this.#closing !== null) return Promise.reject(unavailable(this.#problem ?? "the log is closed"));
    if (this.#waiting >= MAX_WAITING)
      return Promise.reject(unavailable(`${MAX_WAITING} events are waiting for the disk`));
    const packed = packDraft(draft);
    const defect = defectOf(packed);
    if (defect !== null) return Promise.reject(new HostError(`evidence draft ${draft.type} ${defect}`));
    const batch = this.#batchFor(packed.length);
    batch.text += packed;
    this.#waiting++;
    const { promise, resolve, reject } = Promise.withResolvers<EvidenceReceipt>();
    batch.waiters.push({ resolve, reject });
    if (this.#sent.length === 0) this.#send();
    else this.#schedule();
    return promise;
  }

  writable(): boolean {
    return this.#problem === null && this.#closing === null;
  }

  problem(): string | null {
    return this.#problem;
  }

  close(): Promise<void> {
    if (this.#closing !== null) return this.#closing.promise;
    this.#closing = Promise.withResolvers<void>();
    if (this.#probe !== null) clearTimeout(this.#probe);
    if (this.#dead) this.#closing.resolve();
    else this.#schedule();
    return this.#closing.promise;
  }

  #batchFor(chars: number): Batch {
    const last = this.#queue[this.#queue.length - 1];
    const fits = last && last.waiters.length < MAX_BATCH_EVENTS && last.text.length + chars <= MAX_BATCH_CHARS;
    if (fits) return last;
    const batch: Batch = { text: "", waiters: [] };
    this.#queue.push(batch);
    return batch;
  }

  /** At the end of the loop's turn, so that everything this turn brought is one message. */
  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#send();
    });
  }

  #send(): void {
    if (this.#dead) return;
    for (const batch of this.#queue) {
      this.#sent.push(batch);
      this.#post(batch.text);
    }
    this.#queue = [];
    if (this.#closing !== null && this.#sent.length === 0) this.#post({ ask: "close" });
  }

  #post(message: ToWorker): void {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    this.#worker.postMessage(message);
  }

  #hear(message: FromWorker): void {
    if (message.kind === "written") {
      this.#problem = null;
      this.#acknowledge(message.first, message.eventIds);
    } else if (message.kind === "failed") {
      this.#fail(message.reason, message.batches);
    } else if (message.kind === "lost") {
      this.#watch(message.reason);
    } else if (message.kind === "probed") {
      if (message.reason === null) this.#problem = null;
      else this.#watch(message.reason);
    } else if (message.kind === "closed") {
      this.#closeProblem = message.reason;
    }
  }

  #acknowledge(first: number, eventIds: string): void {
    let at = 0;
    let batches = 0;
    while (at * EVENT_ID_CHARS < eventIds.length) {
      const waiters = this.#sent[batches++]?.waiters ?? [];
      for (const waiter of waiters) {
        const eventId = eventIds.slice(at * EVENT_ID_CHARS, (at + 1) * EVENT_ID_CHARS);
        waiter.resolve({ eventId, sequence: first + at });
        at++;
      }
      // Emptied, because a batch that has grown old would keep all that was waiting for it until a full collection.
      waiters.length = 0;
    }
    this.#sent.splice(0, batches);
    this.#waiting -= at;
    if (this.#closing !== null) this.#schedule();
  }

  /** Rejects the batches that failed and what was not sent yet, which would not fare better right now. */
  #fail(reason: string, failed: number): void {
    const batches = [...this.#sent.splice(0, failed), ...this.#queue];
    this.#queue = [];
    this.#watch(reason);
    for (const { waiters } of batches) {
      this.#waiting -= waiters.length;
      for (const waiter of waiters) waiter.reject(unavailable(reason));
    }
    if (this.#closing !== null) this.#schedule();
  }

  /** Not writable from now on; asks every second whether it is again. */
  #watch(reason: string): void {
    this.#problem = reason;
    if (this.#probe !== null || this.#closing !== null || this.#dead) return;
    this.#probe = setTimeout(() => {
      this.#probe = null;
      if (this.#problem === null || this.#dead || this.#closing !== null) return;
      if (this.#sent.length === 0) this.#post({ ask: "probe" });
      else this.#watch(this.#problem);
    }, PROBE_MS);
    this.#probe.unref();
  }

  #die(reason: string): void {
    if (this.#dead) return;
    this.#dead = true;
    if (this.#waiting > 0 || this.#closing === null) this.#fail(reason, this.#sent.length);
    if (this.#closeProblem === null) this.#closing?.resolve();
    else this.#closing?.reject(unavailable(this.#closeProblem));
  }
}

const firstWord = (worker: Worker): Promise<FromWorker> =>
  new Promise((resolve, reject) => {
    worker.once("message", resolve);
    worker.once("error", reject);
  });

/** Opens `<dir>/evidence.db`, takes the directory's lock and ends what an earlier run left open. */
export const openEvidenceLog = async (options: EvidenceLogOptions): Promise<OpenEvidenceLog> => {
  if (options.durability !== "memory") mkdirSync(options.dir, { recursive: true, mode: 0o700 });
  const workerData: WorkerOptions = { ...options, keepOpen: options.keepOpen ?? [] };
  const built = !import.meta.url.endsWith(".ts");
  const url = new URL(built ? "./evidence-worker.js" : "./evidence-worker.ts", import.meta.url);
  const worker = new Worker(url, { workerData });
  const word = await firstWord(worker);
  if (word.kind === "opened") return new WorkerLog(worker, word);
  await worker.terminate();
  const reason = word.kind === "refused" ? word.reason : `unexpected word ${word.kind}`;
  throw new Refusal("evidence_unavailable", {
    message: `The evidence log in ${options.dir} cannot be opened: ${reason}.`,
    next: "Run `bailiwick doctor`; it names the file and what is wrong with it.",
  });
};
