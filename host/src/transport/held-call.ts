/**
 * One call of a modern caller that can be asked. Questions that come within a moment of each other end the caller's
 * request as one `input_required`, while the call itself goes on waiting; the retry brings the answers and takes over
 * what is still to come. It parks only while a question is out, and nothing but its time ends it then.
 */
import type { Ask, AskAnswer, Asker, Declared } from "../kernel/ask.ts";
import type { Answer } from "../kernel/call.ts";
import { makeId } from "../kernel/make-id.ts";
import type { CallListener } from "../kernel/provider.ts";
import type { Presented, Principal } from "../kernel/principal.ts";
import { rawJson, type RawJson, type RawMembers } from "../kernel/raw-json.ts";
import { Refusal } from "../kernel/refusal.ts";
import { SILENT } from "./call-notices.ts";
import type { HeldCalls, Parked, Place } from "./held-calls.ts";
import type { InputResponses } from "./input-responses.ts";
import { notAnswered, OpenQuestions } from "./open-questions.ts";
import { ownText } from "./own-text.ts";
import type { RequestStates, StateBond } from "./request-state.ts";

const TOGETHER_MS = 25;
/** How long a server whose questions were withdrawn may still end its call by itself. */
const LAST_WORDS_MS = 1000;
const STAGE = 1;

/** How a request of the caller ends: with the call, or with what is asked back. */
export type Turn =
  | { readonly kind: "answer"; readonly answer: Answer }
  | { readonly kind: "questions"; readonly json: RawJson };

/** The request that now waits for the call. */
export interface Attendance {
  readonly declared: Declared;
  readonly listener: CallListener;
  /** What it showed: answers are judged by this, not by what the first request showed. */
  readonly presented: Presented;
}

export interface HeldCallOptions extends Attendance {
  readonly table: HeldCalls<HeldCall>;
  readonly states: RequestStates;
  /** As `ownerOf` names the principal. */
  readonly owner: string;
  /** How long the request is. */
  readonly chars: number;
  /** Of the principal: the tools that its credential may name. */
  readonly scopes: Principal["scopes"];
  /** Asked once, when there is a question; most calls have none. */
  readonly bond: () => StateBond;
  readonly abort: AbortController;
}

interface Waiter {
  readonly resolve: (turn: Turn) => void;
  readonly reject: (error: unknown) => void;
}

export class HeldCall implements Asker, CallListener, Parked {
  readonly returns = true;
  readonly owner: string;
  readonly chars: number;
  /** Cancels the call; closing the request that waits for it does. */
  readonly abort: AbortController;
  readonly #scopes: Principal["scopes"];
  readonly #table: HeldCalls<HeldCall>;
  readonly #states: RequestStates;
  readonly #id = makeId("hold_");
  readonly #questions = new OpenQuestions();
  /** While it is a function it keeps the caller's first request in memory. */
  #bond: StateBond | (() => StateBond);
  #attendance: Attendance;
  #waiter: Waiter | null = null;
  #window: NodeJS.Timeout | null = null;
  #lastWords: NodeJS.Timeout | null = null;
  #ending: Promise<Answer> | null = null;
  #kept = 0;
  #round = 0;
  #parked = false;
  #over = false;
  #watched = false;

  constructor({ table, states, owner, chars, scopes, bond, abort, declared, listener, presented }: HeldCallOptions) {
    this.owner = owner;
    this.chars = chars;
    this.#scopes = scopes;
    this.abort = abort;
    this.#table = table;
    this.#states = states;
    this.#bond = bond;
    this.#attendance = { declared, listener, presented };
  }

  get declared(): Declared {
    return this.#attendance.declared;
  }

  held(): boolean {
    return this.#parked && this.#ending === null && !this.#over;
  }

  progress(members: RawMembers): void {
    this.#attendance.listener.progress(members);
  }

  log(members: RawMembers): void {
    this.#attendance.listener.log(members);
  }

  level(): string | null {
    return this.#attendance.listener.level();
  }

  ask(ask: Ask, signal: AbortSignal): Promise<AskAnswer> {
    if (this.#over) return Promise.resolve(notAnswered(ask.method));
    if (!this.#watched) this.abort.signal.addEventListener("abort", () => this.#withdraw(), { once: true });
    this.#watched = true;
    const answer = this.#questions.add(ask, signal);
    this.#gather();
    return answer.then((said) => ({ ...said, presented: this.#attendance.presented }));
  }

  /** A principal may have credentials of different reach: one that may name less does not get to see this call. */
  isInReachOf(scopes: Principal["scopes"]): boolean {
    return scopes === null || (this.#scopes?.every((scope) => scopes.includes(scope)) ?? false);
  }

  /** How the caller's first request ends. */
  start(running: Promise<Answer>): Promise<Turn> {
    running.then(
      (answer) => this.#settle(this.#parked ? this.#keep(answer) : running),
      () => this.#settle(running),
    );
    const turn = this.#wait();
    this.#gather();
    return turn;
  }

  /** How a retry ends. It was taken out of the table, so it is the only one. */
  resume(attendance: Attendance, responses: InputResponses): Promise<Turn> {
    this.#attendance = attendance;
    this.#unpark();
    const turn = this.#wait();
    this.#questions.answer(responses);
    this.#gather();
    return turn;
  }

  abandon(): void {
    this.#unpark();
    this.#withdraw();
    if (this.#ending !== null) return;
    const reason = new Refusal("cancelled", {
      message: "The caller was asked and did not come back with the answers in time.",
      next: "Repeat the call and answer its questions.",
    });
    this.#lastWords = setTimeout(() => this.abort.abort(reason), LAST_WORDS_MS).unref();
  }

  #wait(): Promise<Turn> {
    if (this.#ending !== null) return this.#ending.then((answer) => ({ kind: "answer", answer }));
    return new Promise((resolve, reject) => {
      this.#waiter = { resolve, reject };
    });
  }

  /** Questions go out a moment after the first, so that those asked at once are one round. */
  #gather(): void {
    if (this.#waiter === null || this.#window !== null || this.#questions.size === 0) return;
    this.#window = setTimeout(() => this.#park(), TOGETHER_MS);
  }

  #park(): void {
    this.#window = null;
    const waiter = this.#waiter;
    if (waiter === null) return;
    this.#questions.dropUndeclared(this.declared);
    if (this.#questions.size === 0) return;
    const place = this.#table.park(this);
    if (place === null) {
      this.#questions.withdraw();
      return;
    }
    this.#waiter = null;
    this.#parked = true;
    const { declared, presented } = this.#attendance;
    this.#attendance = { declared: { ...declared, json: ownText(declared.json) }, listener: SILENT, presented };
    waiter.resolve({ kind: "questions", json: this.#inputRequired(place) });
  }

  #inputRequired(place: Place): RawJson {
    if (typeof this.#bond === "function") this.#bond = this.#bond();
    const state = this.#states.sealHeld(this.#bond, { call: this.#id, round: ++this.#round, ...place });
    const requests = this.#questions.show();
    return rawJson(`{"resultType":"input_required","inputRequests":${requests},"requestState":"${state}"}`);
  }

  #unpark(): void {
    this.#parked = false;
    this.#table.release(this.#kept);
    this.#kept = 0;
  }

  /** No question is asked any more. */
  #withdraw(): void {
    this.#over = true;
    this.#questions.withdraw();
  }

  /** Nobody waits for it now; what is kept until somebody comes is bounded. */
  #keep(answer: Answer): Promise<Answer> {
    const { ending } = answer;
    const chars = ending.kind === "result" || ending.kind === "error" ? ending.json.length : 0;
    if (!this.#table.keep(chars)) {
      return Promise.resolve({ ...answer, ending: { kind: "refusal", refusal: notKept(chars), stage: STAGE } });
    }
    this.#kept = chars;
    return Promise.resolve(answer);
  }

  #settle(running: Promise<Answer>): void {
    this.#ending = running;
    if (this.#window !== null) clearTimeout(this.#window);
    if (this.#lastWords !== null) clearTimeout(this.#lastWords);
    this.#window = null;
    this.#withdraw();
    const waiter = this.#waiter;
    this.#waiter = null;
    if (waiter !== null) running.then((answer) => waiter.resolve({ kind: "answer", answer }), waiter.reject);
  }
}

const notKept = (chars: number): Refusal =>
  new Refusal("too_large", {
    message: `The result, ${chars} characters, came while nobody waited for it, and there was no room to keep it.`,
    next: "The call has ended, and evidence says how. Call again if it may run twice.",
  });
