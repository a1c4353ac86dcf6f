/**
 * The evidence log as the rooms use it. Writers share a group commit without a timer: what arrives while one commit runs is
 * the next batch. All hashing and writing happens on a worker thread; here drafts are only queued and acknowledged.
 */
import { mkdirSync } from "node:fs";
import { Worker } from "node:worker_threads";
import type { EvidenceDraft, EvidenceLog, EvidenceReceipt } from "../kernel/evidence.ts";
import { HostError } from "../kernel/host-error.ts";
import { Refusal } from "../kernel/refusal.ts";
import type { Durability } from "./compose-event.ts";
import { packDraft, type DraftFields } from "./draft-fields.ts";
import type { FromWorker, ToWorker, WorkerOptions } from "./worker-messages.ts";

export interface EvidenceLogOptions {
  readonly dir: string;
  readonly hostId: string;
  /** As in the events: dev, test, pilot or prod. */
  readonly environment: string;
  readonly durability: Durability;
}

export interface OpenEvidenceLog extends EvidenceLog {
  /** How many calls of an earlier run were ended as indeterminate. */
  readonly recovered: number;
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
  readonly fields: DraftFields;
  readonly waiters: Waiter[];
  chars: number;
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

const charsOf = (draft: EvidenceDraft): number =>
  draft.payload.length + draft.subject.length + draft.error.length + draft.denial.length + draft.capabilityId.length;

/** What would spoil the log for everybody: a line end in canonical text, or a batch no string can hold. */
const defectOf = (draft: EvidenceDraft, chars: number): string | null => {
  if (chars > MAX_DRAFT_CHARS) return `has ${chars} characters, more than ${MAX_DRAFT_CHARS}`;
  const { payload, subject, error, denial } = draft;
  const whole = !payload.includes("\n") && !subject.includes("\n") && !error.includes("\n") && !denial.includes("\n");
  return whole ? null : "holds text that is not canonical";
};

class WorkerLog implements OpenEvidenceLog {
  readonly recovered: number;
  readonly openedAt: number;
  readonly #worker: Worker;
  #queue: Batch[] = [];
  #waiting = 0;
  #inFlight: Batch | null = null;
  #scheduled = false;
  #problem: string | null = null;
  #dead = false;
  #probe: NodeJS.Timeout | null = null;
  #closing: PromiseWithResolvers<void> | null = null;
  #closeProblem: string | null = null;

  constructor(worker: Worker, opened: { readonly recovered: number; readonly lastSequence: number }) {
    this.#worker = worker;
    this.recovered = opened.recovered;
    this.openedAt = opened.lastSequence;
    worker.on("message", (message: FromWorker) => this.#hear(message));
    worker.on("error", (error: Error) => this.#die(`its thread failed (${error.message})`));
    worker.on("exit", () => this.#die("its thread has ended"));
  }

  append(draft: EvidenceDraft): Promise<EvidenceReceipt> {
    if (this.#dead || this.#closing !== null) return Promise.reject(unavailable(this.#problem ?? "the log is closed"));
    if (this.#waiting >= MAX_WAITING)
      return Promise.reject(unavailable(`${MAX_WAITING} events are waiting for the disk`));
    const chars = charsOf(draft);
    const defect = defectOf(draft, chars);
    if (defect !== null) return Promise.reject(new HostError(`evidence draft ${draft.type} ${defect}`));
    const batch = this.#batchFor(chars);
    packDraft(batch.fields, draft);
    batch.chars += chars;
    this.#waiting++;
    this.#schedule();
    return new Promise((resolve, reject) => batch.waiters.push({ resolve, reject }));
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
    const fits = last && last.waiters.length < MAX_BATCH_EVENTS && last.chars + chars <= MAX_BATCH_CHARS;
    if (fits) return last;
    const batch: Batch = { fields: [], waiters: [], chars: 0 };
    this.#queue.push(batch);
    return batch;
  }

  /** At the end of the loop's turn, so that everything this turn brought goes into one batch. */
  #schedule(): void {
    if (this.#scheduled || this.#inFlight !== null) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#send();
    });
  }

  #send(): void {
    if (this.#dead || this.#inFlight !== null) return;
    const batch = this.#queue.shift();
    if (batch !== undefined) {
      this.#inFlight = batch;
      this.#post(batch.fields);
    } else if (this.#closing !== null) {
      this.#post("close");
    }
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
      this.#fail(message.reason);
    } else if (message.kind === "lost") {
      this.#watch(message.reason);
    } else if (message.kind === "probed") {
      if (message.reason === null) this.#problem = null;
      else this.#watch(message.reason);
    } else if (message.kind === "closed") {
      this.#closeProblem = message.reason;
    }
  }

  #acknowledge(first: number, eventIds: readonly string[]): void {
    const waiters = this.#inFlight?.waiters ?? [];
    this.#inFlight = null;
    this.#waiting -= waiters.length;
    for (let i = 0; i < waiters.length; i++) {
      waiters[i]?.resolve({ eventId: eventIds[i] ?? "", sequence: first + i });
    }
    if (this.#queue.length > 0 || this.#closing !== null) this.#schedule();
  }

  /** Rejects the batch at hand and everything that waits behind it: none of it would fare better right now. */
  #fail(reason: string): void {
    const batches = this.#inFlight === null ? this.#queue : [this.#inFlight, ...this.#queue];
    this.#inFlight = null;
    this.#queue = [];
    this.#waiting = 0;
    this.#watch(reason);
    for (const batch of batches) for (const waiter of batch.waiters) waiter.reject(unavailable(reason));
    if (this.#closing !== null) this.#schedule();
  }

  /** Not writable from now on; asks every second whether it is again. */
  #watch(reason: string): void {
    this.#problem = reason;
    if (this.#probe !== null || this.#closing !== null || this.#dead) return;
    this.#probe = setTimeout(() => {
      this.#probe = null;
      if (this.#problem === null || this.#dead || this.#closing !== null) return;
      if (this.#inFlight === null) this.#post("probe");
      else this.#watch(this.#problem);
    }, PROBE_MS);
    this.#probe.unref();
  }

  #die(reason: string): void {
    if (this.#dead) return;
    this.#dead = true;
    if (this.#waiting > 0 || this.#closing === null) this.#fail(reason);
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
  const workerData: WorkerOptions = { ...options };
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
