/**
 * Questions that are out to the client of one legacy session: real requests on the stream of the call they belong to, or on
 * the session's own, and their answers, which the client posts. Whoever does not answer in time, or ends its session, has
 * answered "cancel".
 */
import { randomBytes } from "node:crypto";
import { askError, type Ask, type AskAnswer, type Completed } from "../kernel/ask.ts";
import type { Presented } from "../kernel/principal.ts";
import { rawJson, rawMembers, type RawJson } from "../kernel/raw-json.ts";
import { insertMembers, memberOf, sliceJson } from "../kernel/scan-json.ts";
import { isObject, type JsonObject } from "./protocol.ts";
import { notificationText } from "./rpc-text.ts";

const MAX_OPEN = 64;
const INTERNAL = -32603;

/** Where a question is written. False: its caller left and cannot come back for it. */
export type WriteText = (text: string) => boolean;

export interface AskOrder {
  readonly ask: Ask;
  readonly write: WriteText;
  /** Takes it back; absent: only the end of the session does. */
  readonly signal?: AbortSignal;
  /** How long the client may take at most; absent: as long as for any question. */
  readonly waitMs?: number;
}

export interface SessionResponse {
  readonly text: string;
  /** The same, parsed. */
  readonly value: JsonObject;
}

export class SessionAsks {
  readonly #waitMs: number;
  readonly #open = new Map<string, (answer: AskAnswer | null) => void>();
  #serial = 0;
  #ended = false;
  #onCompleted: Completed | null;
  /** Tells the client that a person is done with a page; may be kept for long, and holds nothing of a session that ended. */
  readonly completed: Completed = (params) => this.#onCompleted?.(params);

  constructor(waitSeconds: number, onCompleted: Completed) {
    this.#waitMs = waitSeconds * 1000;
    this.#onCompleted = onCompleted;
  }

  get size(): number {
    return this.#open.size;
  }

  ask(order: AskOrder): Promise<AskAnswer> {
    return new Promise((resolve) => {
      if (!this.put(order, resolve)) resolve(unanswered(order.ask));
    });
  }

  /** False: it could not be put. Otherwise `onAnswer` is called once, in the turn in which the answer comes. */
  put({ ask, write, signal, waitMs = this.#waitMs }: AskOrder, onAnswer: (answer: AskAnswer) => void): boolean {
    if (this.#ended || this.#open.size >= MAX_OPEN || signal?.aborted === true) return false;
    const id = `bw-${++this.#serial}`;
    if (!write(`{"jsonrpc":"2.0","id":"${id}","method":"${ask.method}","params":${paramsOf(ask)}}`)) return false;
    const done = (answer: AskAnswer | null): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", giveUp);
      this.#open.delete(id);
      onAnswer(answer ?? unanswered(ask));
    };
    const giveUp = (): void => {
      write(
        notificationText("notifications/cancelled", `"requestId":"${id}","reason":"No answer is needed any more."`),
      );
      done(null);
    };
    const timer = setTimeout(giveUp, Math.min(waitMs, this.#waitMs)).unref();
    signal?.addEventListener("abort", giveUp, { once: true });
    this.#open.set(id, done);
    return true;
  }

  /** A response of the client, and what it showed with it; one that answers nothing is dropped. */
  take({ text, value }: SessionResponse, presented: Presented): void {
    const { id } = value;
    const done = typeof id === "string" ? this.#open.get(id) : undefined;
    if (done) done({ ...answerOf(text, value), presented });
  }

  /** Nobody answers any more. */
  end(): void {
    this.#ended = true;
    this.#onCompleted = null;
    for (const done of this.#open.values()) done(null);
  }
}

const unanswered = ({ method }: Ask): AskAnswer =>
  method === "elicitation/create"
    ? { kind: "result", json: rawJson('{"action":"cancel"}') }
    : askError(INTERNAL, "The caller did not answer.");

const answerOf = (text: string, value: JsonObject): AskAnswer => {
  const { result, error } = value;
  const member = memberOf(text, isObject(result) ? "result" : "error");
  if (isObject(result) && member) return { kind: "result", json: sliceJson(text, member) };
  const { code, message } = isObject(error) ? error : {};
  if (!member || !Number.isSafeInteger(code) || typeof message !== "string") {
    return askError(INTERNAL, "The caller's answer was neither a result nor an error.");
  }
  return { kind: "error", json: sliceJson(text, member), code: code as number, message };
};

/** The legacy form of a page to open has an id, which the modern one has not. */
const paramsOf = ({ method, params }: Ask): RawJson => {
  if (method !== "elicitation/create" || memberOf(params, "elicitationId") !== null) return params;
  const { mode } = JSON.parse(params) as JsonObject;
  if (mode !== "url") return params;
  return insertMembers(params, rawMembers(`"elicitationId":"${randomBytes(16).toString("hex")}"`));
};
