/**
 * The log's end on the main thread. Writers share a group commit without a timer: what a turn of the loop brings goes to the
 * worker as one batch, and what arrives there while one commit runs is the next one.
 */
import type { Worker } from "node:worker_threads";
import type { DraftsTogether, EvidenceDraft, EvidenceLog, EvidenceReceipt } from "../kernel/evidence.ts";
import { HostError } from "../kernel/host-error.ts";
import type { Refusal } from "../kernel/refusal.ts";
import type { SigningMaterial } from "./checkpoint-table.ts";
import { EVENT_ID_CHARS } from "./compose-event.ts";
import { isLargeReply, type BesideDraft } from "./draft-fields.ts";
import { unanswered, unavailable } from "./log-refusals.ts";
import { packedDraft, type PackedDraft } from "./packed-draft.ts";
import type { PurgeOrder, PurgeOutcome, RetentionOrder, RetentionStep } from "./retention.ts";
import { StateReader, type ReplyFile } from "./state-reader.ts";
import type { FromWorker, Question, ToWorker } from "./worker-messages.ts";
import { WorkerQuestions } from "./worker-questions.ts";

interface Waiter {
  readonly draft: EvidenceDraft;
  readonly beside: BesideDraft | undefined;
  readonly resolve: (receipt: EvidenceReceipt) => void;
  readonly reject: (error: Error) => void;
}

interface Batch {
  text: string;
  /** Of large replies and retained payloads, each with a line end. */
  texts: string;
  /** Of all. */
  chars: number;
  readonly waiters: Waiter[];
}

const MAX_BATCH_EVENTS = 512;
const MAX_BATCH_CHARS = 4 << 20;
const MAX_WAITING = 65_536;
const MAX_WAITING_CHARS = 256 << 20;
const DAY_MS = 24 * 60 * 60 * 1000;
const PROBE_MS = 1000;

export class WorkerLog implements EvidenceLog {
  readonly recovered: number;
  readonly kept: ReadonlySet<string>;
  readonly openedAt: number;
  readonly state: StateReader;
  readonly #worker: Worker;
  readonly #questions: WorkerQuestions;
  #queue: Batch[] = [];
  #waiting = 0;
  #waitingChars = 0;
  /** With the worker, in the order in which they were sent. */
  #sent: Batch[] = [];
  #scheduled = false;
  #problem: string | null = null;
  #dead = false;
  #probe: NodeJS.Timeout | null = null;
  #closing: PromiseWithResolvers<void> | null = null;
  #closeProblem: string | null = null;

  constructor(worker: Worker, opened: Extract<FromWorker, { kind: "opened" }>, file: ReplyFile | null) {
    this.#worker = worker;
    this.#questions = new WorkerQuestions((message) => this.#post(message), unanswered);
    this.state = new StateReader(file, opened.state);
    this.recovered = opened.recovered;
    this.kept = new Set(opened.kept);
    this.openedAt = opened.lastSequence;
    worker.on("message", (message: FromWorker) => this.#hear(message));
    worker.on("error", (error: Error) => this.#die(`its thread failed (${error.message})`));
    worker.on("exit", () => this.#die("its thread has ended"));
  }

  append(draft: EvidenceDraft, beside?: BesideDraft): Promise<EvidenceReceipt> {
    const no = this.#turnsAway();
    if (no !== null) return Promise.reject(no);
    const packed = packedDraft(draft, beside);
    if (packed instanceof HostError) return Promise.reject(packed);
    const receipt = this.#add(this.#batchFor(packed.chars, 1), packed);
    this.#schedule();
    return receipt;
  }

  async appendAll(drafts: DraftsTogether, beside?: BesideDraft): Promise<readonly EvidenceReceipt[]> {
    const no = this.#turnsAway();
    if (no !== null) throw no;
    const all: PackedDraft[] = [];
    for (const [i, draft] of drafts.entries()) {
      const packed = packedDraft(
        draft,
        beside && i === drafts.length - 1 ? { ...beside, together: drafts.length } : undefined,
      );
      if (packed instanceof HostError) throw packed;
      all.push(packed);
    }
    const chars = all.reduce((sum, packed) => sum + packed.chars, 0);
    const batch = this.#batchFor(chars, all.length);
    const receipts = all.map((packed) => this.#add(batch, packed));
    this.#schedule();
    return Promise.all(receipts);
  }

  /** Why nothing can be taken now; null: it can. */
  #turnsAway(): Refusal | null {
    if (this.#dead || this.#closing !== null) return unavailable(this.#problem ?? "the log is closed");
    const isFull = this.#waiting >= MAX_WAITING || this.#waitingChars >= MAX_WAITING_CHARS;
    return isFull ? unavailable(`${this.#waiting} events are waiting for the disk`) : null;
  }

  #add(batch: Batch, { draft, text, chars, beside }: PackedDraft): Promise<EvidenceReceipt> {
    batch.text += text;
    batch.chars += chars;
    if (beside?.reply !== undefined && isLargeReply(beside.reply)) batch.texts += `${beside.reply.text}\n`;
    if (beside?.payload !== undefined) batch.texts += `${beside.payload}\n`;
    this.#waiting++;
    this.#waitingChars += chars;
    const { promise, resolve, reject } = Promise.withResolvers<EvidenceReceipt>();
    batch.waiters.push({ draft, beside, resolve, reject });
    return promise;
  }

  async checkpoint(): Promise<string | null> {
    return (await this.#ask({ ask: "checkpoint" })) as string | null;
  }

  async signWith(signing: SigningMaterial): Promise<void> {
    await this.#ask({ ask: "sign-with", signing });
  }

  async purge(order: PurgeOrder): Promise<PurgeOutcome> {
    return (await this.#ask({ ask: "purge", order })) as PurgeOutcome;
  }

  async applyRetention({ days, holds, now, purged }: RetentionOrder): Promise<number> {
    const order = { before: now - days * DAY_MS, holds, policy: `days:${days}` };
    let events = 0;
    // A log that is being closed is not waited for: what is left is for the next run.
    for (let isDone = false; !isDone && this.#closing === null;) {
      const step: RetentionStep = (await this.#ask({ ask: "retain", slice: order })) as RetentionStep;
      events += step.events;
      purged?.(step.purged);
      isDone = step.isDone;
    }
    return events;
  }

  async redactPayload(sequence: number): Promise<boolean> {
    return (await this.#ask({ ask: "withhold", sequence })) as boolean;
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

  /** One that takes them all: a batch is one commit or none. */
  #batchFor(chars: number, events: number): Batch {
    const last = this.#queue[this.#queue.length - 1];
    const fits = last && last.waiters.length + events <= MAX_BATCH_EVENTS && last.chars + chars <= MAX_BATCH_CHARS;
    if (fits) return last;
    const batch: Batch = { text: "", texts: "", chars: 0, waiters: [] };
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
      this.#post(batch.texts === "" ? batch.text : { drafts: batch.text, texts: batch.texts });
    }
    this.#queue = [];
    if (this.#closing !== null && this.#sent.length === 0 && this.#questions.size === 0) this.#post({ ask: "close" });
  }

  #ask(question: Question): Promise<unknown> {
    if (this.#dead || this.#closing !== null)
      return Promise.reject(unanswered(this.#problem ?? "the log is closed", question));
    return this.#questions.ask(question);
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
    } else if (message.kind === "answered" || message.kind === "unanswered") {
      this.#questions.hear(message);
      if (this.#closing !== null) this.#schedule();
    } else if (message.kind === "closed") {
      this.#closeProblem = message.reason;
    }
  }

  #acknowledge(first: number, eventIds: string): void {
    let at = 0;
    let batches = 0;
    while (at * EVENT_ID_CHARS < eventIds.length) {
      const batch = this.#sent[batches++];
      const waiters = batch?.waiters ?? [];
      this.#waitingChars -= batch?.chars ?? 0;
      for (const { draft, beside, resolve } of waiters) {
        const sequence = first + at;
        if (beside !== undefined) this.state.committed({ draft, beside, sequence, eventIds, first });
        const eventId = eventIds.slice(at * EVENT_ID_CHARS, (at + 1) * EVENT_ID_CHARS);
        resolve({ eventId, sequence });
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
    this.state.failed();
    const batches = [...this.#sent.splice(0, failed), ...this.#queue];
    this.#queue = [];
    this.#watch(reason);
    for (const { waiters, chars } of batches) {
      this.#waiting -= waiters.length;
      this.#waitingChars -= chars;
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
    this.state.close();
    this.#questions.failAll(reason);
    if (this.#waiting > 0 || this.#closing === null) this.#fail(reason, this.#sent.length);
    if (this.#closeProblem === null) this.#closing?.resolve();
    else this.#closing?.reject(unavailable(this.#closeProblem, "The log was not closed in order."));
  }
}
