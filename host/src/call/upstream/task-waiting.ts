/**
 * One call that waits for a person's decision as a task, and goes on by itself: allowed, it passes the whole call path once
 * more, for whoever made it, and how that ends is how the task ends. What it is about to do is on disk before it does it.
 */
import type { Asker } from "../../kernel/ask.ts";
import type { ApprovalRecord } from "../../kernel/approvals.ts";
import type { Answer, HandleCall } from "../../kernel/call.ts";
import { HostError } from "../../kernel/host-error.ts";
import { makeId } from "../../kernel/make-id.ts";
import type { Presented, Principal } from "../../kernel/principal.ts";
import { rawJson, rawMembers, type RawJson } from "../../kernel/raw-json.ts";
import { Refusal } from "../../kernel/refusal.ts";
import { insertMembers, memberOf } from "../../kernel/scan-json.ts";
import type { TaskRecord, WaitingCall, WaitingEnd } from "../../kernel/tasks.ts";
import type { TaskBook } from "./task-book.ts";
import type { OwnTask, TaskEntry } from "./task-entry.ts";
import { declaredOf } from "./task-poller.ts";
import { TaskQuestions } from "./task-questions.ts";
import type { TaskText } from "./task-view.ts";
import { waitingCall } from "./task-waiting-call.ts";
import { approvalRefusal, lostRefusal, notKeptRefusal } from "./task-waiting-refusals.ts";
import { viewWaiting } from "./task-waiting-view.ts";
import { tellWatchers } from "./task-watching.ts";

const STAGE = 8;
const FIRST_RETRY_MS = 1_000;
const MAX_RETRY_MS = 30_000;
/** Of one result, and of all that are kept. */
const MAX_RESULT_CHARS = 4 << 20;
const MAX_KEPT_CHARS = 64 << 20;

export interface WaitingOptions {
  readonly book: TaskBook;
  readonly handleCall: HandleCall;
  readonly findApproval: (reader: Principal, id: string) => ApprovalRecord | null;
  /** Has the credential verified, if `identify` need not know it any more, and the workspace opened. */
  readonly prepare: (caller: Pick<WaitingCall, "presented"> & Pick<TaskRecord, "principal">) => Promise<void>;
  /** The JSON-RPC error of a refusal. */
  readonly errorOf: (answer: Answer) => RawJson;
  readonly reportBug: (error: unknown) => void;
  /** It is over, or its server's: nobody need tell it of decisions any more. */
  readonly done: (task: WaitingTask) => void;
}

export class WaitingTask implements OwnTask {
  readonly #entry: TaskEntry;
  readonly #options: WaitingOptions;
  readonly #questions: TaskQuestions;
  #run: AbortController | null = null;
  #retry: NodeJS.Timeout | null = null;
  #failures = 0;
  #updatedAt: number;
  #isCancelled = false;
  #isStopped = false;

  constructor(entry: TaskEntry, options: WaitingOptions) {
    this.#entry = entry;
    this.#options = options;
    this.#updatedAt = entry.record.endedAt ?? entry.record.createdAt;
    this.#questions = new TaskQuestions(declaredOf(entry.record), () => this.#changed());
  }

  get asker(): Asker {
    return this.#questions;
  }

  get approval(): string {
    return this.#waits.approval;
  }

  view(): TaskText {
    return viewWaiting(this.#entry.record, {
      waits: this.#waits,
      questions: this.#questions.size === 0 ? null : this.#questions.show(),
      isRunning: this.#run !== null,
      updatedAt: this.#updatedAt,
    });
  }

  seen(presented: Presented): void {
    if (this.#isOver() || JSON.stringify(presented) === JSON.stringify(this.#waits.presented)) return;
    this.#keep({ presented }).catch(this.#options.reportBug);
  }

  answer(responses: RawJson, presented: Presented): void {
    this.#questions.answer(responses, presented);
  }

  /** Of a call that runs, the call itself says how it ended. */
  async cancel(): Promise<void> {
    if (this.#isOver()) return;
    this.#isCancelled = true;
    if (this.#run !== null) this.#run.abort(cancelledRefusal(this.#entry.record));
    else await this.#end({ status: "cancelled" });
  }

  stop(): void {
    this.#isStopped = true;
    if (this.#retry !== null) clearTimeout(this.#retry);
    this.#run?.abort(cancelledRefusal(this.#entry.record));
  }

  /** Goes on if its approval says so. */
  look(): void {
    const { record } = this.#entry;
    if (this.#run !== null || this.#isOver()) return;
    const approval = this.#options.findApproval(record.principal, this.approval);
    if (approval?.state === "pending") return;
    this.#act(approval)
      .catch((no: unknown) => (no instanceof Refusal ? this.#refuse(no) : Promise.reject(no)))
      .catch((error: unknown) => {
        this.#options.reportBug(error);
        if (!this.#isOver()) this.#tryLater();
      });
  }

  async #act(approval: ApprovalRecord | null): Promise<void> {
    const { record } = this.#entry;
    if (approval?.state === "consumed" && approval.consumed_by === this.#waits.run)
      return this.#refuse(lostRefusal(record));
    // Used up by the same call made twice: this one has to ask for itself.
    if (approval?.state === "granted" || approval?.state === "consumed") return this.#go();
    return this.#refuse(approvalRefusal(record, approval));
  }

  async #go(): Promise<void> {
    if (this.#retry !== null) clearTimeout(this.#retry);
    this.#retry = null;
    const run = new AbortController();
    this.#run = run;
    let answer: Answer;
    try {
      const { record } = this.#entry;
      const invocationId = makeId("inv_");
      const call = waitingCall(record, { invocationId, signal: run.signal, asker: this.#questions });
      await this.#options.prepare({ principal: record.principal, presented: call.presented });
      await this.#keep({ run: invocationId });
      this.#changed();
      answer = await this.#options.handleCall(call);
    } finally {
      this.#run = null;
    }
    await this.#settle(answer);
  }

  async #settle(answer: Answer): Promise<void> {
    const { ending } = answer;
    if (this.#entry.own !== this) return this.#options.done(this);
    if (ending.kind === "refusal") return this.#settleRefusal(answer, ending.refusal);
    if (ending.kind === "input") throw new HostError("a call that is asked while it goes on ended with a question");
    await this.#end(
      ending.kind === "error"
        ? { status: "failed", json: ending.json }
        : { status: "completed", json: asComplete(ending.json) },
    );
  }

  async #settleRefusal(answer: Answer, no: Refusal): Promise<void> {
    const { record } = this.#entry;
    const hasBegun = this.#options.findApproval(record.principal, this.approval)?.consumed_by === this.#waits.run;
    // Not begun, it begins when the host is back.
    if (this.#isStopped && !hasBegun) return;
    if (this.#isCancelled && no.kind === "cancelled") return this.#end({ status: "cancelled" });
    if (no.kind === "approval_pending") return this.#waitFor(String(no.details["approval_id"]), no.message);
    if (!this.#isCancelled && !hasBegun && no.retryable && this.#isAllowed()) return this.#tryLater();
    await this.#end({ status: "failed", json: this.#options.errorOf(answer) });
  }

  /** Whether a further try could lead anywhere: there is a yes for it, or there was, and its time is not over yet. */
  #isAllowed(): boolean {
    const approval = this.#options.findApproval(this.#entry.record.principal, this.approval);
    if (approval?.state === "granted") return true;
    return approval?.state === "consumed" && Date.now() < Date.parse(approval.expires_at);
  }

  async #waitFor(approval: string, message: string): Promise<void> {
    await this.#keep({ approval, message, run: null });
    this.#changed();
    this.look();
  }

  #tryLater(): void {
    const afterMs = Math.min(FIRST_RETRY_MS * 2 ** Math.min(this.#failures++, 10), MAX_RETRY_MS);
    this.#changed();
    this.#retry = setTimeout(() => this.look(), afterMs).unref();
  }

  #refuse(refusal: Refusal): Promise<void> {
    const { principal, flatName } = this.#entry.record;
    const answer: Answer = {
      ending: { kind: "refusal", refusal, stage: STAGE },
      outcome: null,
      principal,
      evidenceId: null,
      tool: flatName,
    };
    return this.#end({ status: "failed", json: this.#options.errorOf(answer) });
  }

  async #end(given: WaitingEnd): Promise<void> {
    const { book, done } = this.#options;
    if (this.#retry !== null) clearTimeout(this.#retry);
    const end = this.#bounded(given);
    this.#put({ end, presented: { kind: "none" }, said: null });
    done(this);
    const kept = book.end(this.#entry);
    this.#changed();
    await kept;
  }

  #bounded(end: WaitingEnd): WaitingEnd {
    const { book, errorOf } = this.#options;
    const chars = end.status === "cancelled" ? 0 : end.json.length;
    let kept = chars;
    for (const { record } of book.all()) {
      const other = record.waits?.end;
      kept += other && other.status !== "cancelled" ? other.json.length : 0;
    }
    if (chars <= MAX_RESULT_CHARS && kept <= MAX_KEPT_CHARS) return end;
    const { record } = this.#entry;
    const refusal = notKeptRefusal(record, chars);
    const ending = { kind: "refusal", refusal, stage: 10 } as const;
    const answer = { ending, outcome: null, principal: record.principal, evidenceId: null, tool: record.flatName };
    return { status: "failed", json: errorOf(answer) };
  }

  get #waits(): WaitingCall {
    const { waits } = this.#entry.record;
    if (waits === undefined) throw new HostError("a task of a server is no task of the host");
    return waits;
  }

  #isOver(): boolean {
    return this.#isStopped || this.#entry.own !== this || this.#waits.end !== null;
  }

  #put(over: Partial<WaitingCall>): TaskRecord {
    const record = { ...this.#entry.record, waits: { ...this.#waits, ...over } };
    this.#entry.record = record;
    return record;
  }

  #keep(over: Partial<WaitingCall>): Promise<void> {
    this.#put(over);
    return this.#options.book.keep(this.#entry);
  }

  #changed(): void {
    if (this.#entry.own !== this) return;
    this.#updatedAt = Date.now();
    tellWatchers(this.#entry, this.view());
  }
}

const COMPLETE = rawMembers('"resultType":"complete"');

/** As a modern caller gets it. */
const asComplete = (json: RawJson): RawJson =>
  rawJson(
    json.includes('"resultType"') && memberOf(json, "resultType") !== null ? json : insertMembers(json, COMPLETE),
  );

const cancelledRefusal = ({ flatName }: TaskRecord): Refusal =>
  new Refusal("cancelled", {
    message: `The task of ${flatName} was cancelled.`,
    next: "Repeat the call if it is still wanted.",
  });
