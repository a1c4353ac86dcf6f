/**
 * Joins requests and answers of one connection: own integer ids, concurrency and queue, deadlines, cancellation.
 * It knows no wire; a `Wire` puts text on one and hands back what comes in. A request is given to the wire once.
 */
import { Refusal } from "../../kernel/refusal.ts";
import { Roster } from "../../kernel/roster.ts";
import type { ConnectionLimits } from "../connection.ts";
import { Asking } from "./asking.ts";
import { DeadlineTimer } from "./deadline-timer.ts";
import { Exchange, type ExchangeOptions } from "./exchange.ts";
import { frameRequest, type Dialect } from "./frame.ts";
import {
  cancelledBeforeSend,
  controlTimeout,
  noConnection,
  notSent,
  queuedTooLong,
  queueFull,
  unknownOutcome,
  unusableAnswer,
} from "./leg-refusals.ts";
import type { Reply } from "./read-message.ts";
import { LateAnswers } from "./late-answers.ts";
import { Turns } from "./turns.ts";
import { Unanswered } from "./unanswered.ts";
import { isParked, whoseAsk } from "./whose-ask.ts";

export interface Wire {
  /** False: calls stay in the queue, where a cancellation is certain, until `resume`. */
  writable(): boolean;
  /** Sets `isOnWire` of the exchange as soon as anything of it may have left. */
  send(exchange: Exchange, text: string): void;
  /** Tells the server that the answer is not wanted any more. */
  cancel(exchange: Exchange, reason: string): void;
  /** It is over, however it ended: what is still open for it is closed. */
  settled(exchange: Exchange): void;
}

/** An id is a serial number and the place of its call, so that an answer finds it without a table that is rewritten. */
const PLACES = 65_536;
const GRACE_MS = 5_000;

export class Correlator {
  readonly limits: ConnectionLimits;
  readonly #wire: Wire;
  readonly #open = new Roster<Exchange>();
  readonly #late = new LateAnswers();
  readonly turns: Turns;
  readonly unanswered: Unanswered;
  readonly #timer = new DeadlineTimer((now) => this.#sweep(now));
  readonly #aborted = (exchange: Exchange): void => this.#abort(exchange);
  #queue: Exchange[] = [];
  #active = 0;
  #serial = 0;
  #endReason: string | null = null;
  /** Answers to nothing we asked, and answers that came after their call was given up. */
  readonly counts = { unknown: 0, late: 0 };
  dialect: Dialect;

  constructor(wire: Wire, limits: ConnectionLimits, dialect: Dialect) {
    this.#wire = wire;
    this.limits = limits;
    const isWaitedFor = (): boolean => this.#queue.length > 0;
    const parts = { isWaitedFor, calls: () => this.calls(), resume: () => this.resume() };
    this.turns = new Turns(parts, limits.oneAtATime?.() ?? false);
    this.unanswered = new Unanswered(limits.maxTimeoutMs);
    this.dialect = dialect;
  }

  /** Calls that were sent or wait for it. */
  inFlight(): number {
    return this.#active + this.#queue.length;
  }

  over(): boolean {
    return this.#endReason !== null;
  }

  ask(options: ExchangeOptions): Promise<Reply> {
    if (this.#endReason !== null) return Promise.reject(notSent(this.#endReason));
    if (options.signal?.aborted) return Promise.reject(cancelledBeforeSend());
    const direct = options.control || (this.#queue.length === 0 && this.#hasRoom());
    if (!direct && this.#queue.length >= this.limits.queue) {
      return Promise.reject(queueFull(this.#queue.length, this.turns.oneAtATime));
    }
    const exchange = new Exchange(options, this.#aborted);
    exchange.id = ++this.#serial * PLACES + this.#open.add(exchange);
    if (direct) this.#dispatch(exchange);
    else this.#enqueue(exchange);
    this.#timer.arm(exchange.dueAt);
    return exchange.promise;
  }

  /** The wire takes text again, or a place is free. */
  resume(): void {
    if (this.turns.asking > 0) this.turns.give();
    while (this.#queue.length > 0 && this.#hasRoom()) {
      const next = this.#queue.shift() as Exchange;
      next.dueAt = performance.now() + next.options.timeoutMs;
      this.#dispatch(next);
    }
  }

  answer(id: unknown, reply: Reply | null): void {
    const exchange = this.find(id);
    if (!exchange || exchange.phase === "queued") return this.#takeLate(id as number, reply);
    if (reply) {
      this.#release(exchange);
      exchange.resolve(reply);
    } else this.fail(exchange, unusableAnswer("malformed", "it is neither a result nor an error of MCP"));
  }

  find(id: unknown): Exchange | null {
    const exchange = typeof id === "number" ? this.#open.get(id % PLACES) : null;
    return exchange?.id === id ? exchange : null;
  }

  /**
   * The one call that runs, when there is exactly one, and nothing of another caller's that a server may still be busy with:
   * then a notice without a name cannot be somebody else's.
   */
  only(): Exchange | null {
    const calls = this.calls();
    const [first, second] = calls.filter((call) => !isParked(call));
    if (first === undefined || second !== undefined) return null;
    return whoseAsk(calls, this.unanswered) === first ? first : null;
  }

  /** Calls that were sent and not yet answered. */
  calls(): Exchange[] {
    return [...this.#open].filter(({ options, phase }) => !options.control && phase !== "queued");
  }

  /** A sign of life: the deadline moves, up to the longest time a call may take, questions aside. */
  touch(exchange: Exchange): void {
    const { asking, options } = exchange;
    if (exchange.phase !== "sent" || (asking !== null && asking.out.size > 0)) return;
    const longestMs = Math.min(options.call?.limitMs ?? Number.POSITIVE_INFINITY, this.limits.maxTimeoutMs);
    const latest = exchange.startedAt + longestMs + (asking?.stoodStillMs ?? 0);
    exchange.dueAt = Math.min(performance.now() + options.timeoutMs, latest);
  }

  /** The server asks something for this call, whose time stands still until `goOn`. */
  standStill(exchange: Exchange): AbortController {
    const asking = (exchange.asking ??= new Asking());
    if (asking.out.size === 0) {
      this.turns.asking++;
      asking.since = performance.now();
      exchange.dueAt = Number.POSITIVE_INFINITY;
    }
    const question = new AbortController();
    asking.out.add(question);
    this.turns.watch();
    return question;
  }

  /** The answer went out: with the last one, time begins anew. */
  goOn(exchange: Exchange, question: AbortController): void {
    const { asking, phase } = exchange;
    if (!asking?.out.delete(question) || asking.out.size > 0 || phase === "settled") return;
    this.turns.asking--;
    asking.stoodStillMs += performance.now() - asking.since;
    if (phase !== "sent") return;
    this.touch(exchange);
    this.#timer.arm(exchange.dueAt);
  }

  fail(exchange: Exchange, reason: Error): void {
    if (exchange.phase === "settled") return;
    const { call } = exchange.options;
    if (call && exchange.isOnWire && isOpenEnd(reason)) this.unanswered.add(exchange.id, call.owner);
    this.#release(exchange);
    exchange.reject(reason);
  }

  /** The call may not go on, whatever its caller wants. */
  withdraw(exchange: Exchange): void {
    if (exchange.phase === "sent") this.#giveUp(exchange, "cancelled", "the call may not go on");
  }

  /** Nothing more will come. Sent calls are of unknown outcome, the others were never sent. */
  end(reason: string): void {
    if (this.#endReason !== null) return;
    this.#endReason = reason;
    this.#timer.stop();
    for (const exchange of this.#open) {
      const unsent = !exchange.isOnWire || exchange.options.control;
      exchange.reject(unsent ? notSent(reason) : unknownOutcome("connection_lost", reason));
    }
    this.#open.clear();
    this.#queue = [];
    this.#active = 0;
    this.turns.asking = 0;
  }

  #hasRoom(): boolean {
    if (!this.#wire.writable()) return false;
    const running = this.#active - this.turns.parked();
    if (this.turns.oneAtATime && running > 0) return false;
    return running < this.limits.concurrency;
  }

  #enqueue(exchange: Exchange): void {
    this.#queue.push(exchange);
    this.turns.watch();
  }

  #takeLate(id: number, reply: Reply | null): void {
    this.unanswered.remove(id);
    if (this.#late.take(id, reply, this.dialect)) this.counts.late++;
    else this.counts.unknown++;
  }

  #dispatch(exchange: Exchange): void {
    exchange.phase = "sent";
    if (!exchange.options.control) this.#active++;
    this.#wire.send(exchange, frameRequest(exchange.id, exchange.options, this.dialect));
  }

  #release(exchange: Exchange): void {
    this.#open.remove(exchange.id % PLACES);
    if (exchange.phase === "queued") this.#queue = this.#queue.filter((queued) => queued !== exchange);
    else if (!exchange.options.control) this.#active--;
    if (exchange.asking !== null && exchange.asking.out.size > 0) this.turns.asking--;
    exchange.phase = "settled";
    this.#wire.settled(exchange);
    if (this.#queue.length > 0 || this.turns.asking > 0) this.resume();
  }

  #abort(exchange: Exchange): void {
    if (exchange.phase === "queued") this.fail(exchange, cancelledBeforeSend());
    else if (exchange.phase === "sent") this.#giveUp(exchange, "cancelled", "cancelled by the caller");
  }

  #giveUp(exchange: Exchange, why: Exchange["why"], reason: string): void {
    if (!exchange.isOnWire && !exchange.options.control) {
      const waitedMs = Math.round(performance.now() - exchange.startedAt);
      return this.fail(exchange, why === "timeout" ? noConnection(waitedMs) : cancelledBeforeSend());
    }
    exchange.phase = "ending";
    exchange.why = why;
    exchange.asking?.giveUp();
    exchange.dueAt = performance.now() + GRACE_MS;
    this.#timer.arm(exchange.dueAt);
    this.#wire.cancel(exchange, reason);
    if (exchange.options.control) this.#forget(exchange);
  }

  /** Ends what is over its time and returns the next deadline. */
  #sweep(now: number): number {
    let next = Number.POSITIVE_INFINITY;
    for (const exchange of this.#open) {
      if (exchange.dueAt <= now) this.#expire(exchange, now);
      if (exchange.phase !== "settled") next = Math.min(next, exchange.dueAt);
    }
    return next;
  }

  #expire(exchange: Exchange, now: number): void {
    if (exchange.phase === "queued") this.#failQueued(exchange, now);
    else if (exchange.phase === "sent") this.#giveUp(exchange, "timeout", "the call took too long");
    else if (exchange.phase === "ending") this.#forget(exchange);
  }

  #failQueued(exchange: Exchange, now: number): void {
    this.fail(exchange, queuedTooLong(Math.round(now - exchange.startedAt), this.turns.oneAtATime));
  }

  #forget(exchange: Exchange): void {
    this.#late.expect(exchange);
    const { control, method, timeoutMs } = exchange.options;
    if (control) {
      const timedOut = exchange.why === "timeout";
      return this.fail(exchange, timedOut ? controlTimeout(method, timeoutMs) : cancelledBeforeSend());
    }
    const because =
      exchange.why === "timeout"
        ? `no sign of life from the server within ${timeoutMs} ms`
        : "it was cancelled while it ran and the server said nothing more";
    this.fail(exchange, unknownOutcome(exchange.why, because));
  }
}

/** The server may be busy with it still: nobody knows how it ended. */
const isOpenEnd = (reason: Error): boolean => !(reason instanceof Refusal) || reason.kind === "indeterminate";
