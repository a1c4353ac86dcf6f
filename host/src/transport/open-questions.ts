/**
 * The questions of one call that nobody has answered yet, under the names by which a modern caller answers them. Bounded
 * in number and size; each gets exactly one answer.
 */
import { setMaxListeners } from "node:events";
import { askError, type Ask, type AskAnswer, type AskMethod, type Declared } from "../kernel/ask.ts";
import { lacking } from "../kernel/lacking.ts";
import { rawJson, type RawJson } from "../kernel/raw-json.ts";
import { fitsQuestion, type InputResponses } from "./input-responses.ts";

const MAX_QUESTIONS = 64;
const MAX_CHARS = 4_194_304;
const KEY = /^(?!__proto__$)[A-Za-z0-9_.-]{1,64}$/;
const LETTERS: Readonly<Record<AskMethod, string>> = {
  "elicitation/create": "e",
  "sampling/createMessage": "s",
  "roots/list": "r",
};

interface Question {
  readonly ask: Ask;
  /** Only what the caller was shown can be answered. */
  shown: boolean;
  readonly answer: (said: AskAnswer) => void;
}

export const notAnswered = (method: AskMethod): AskAnswer =>
  method === "elicitation/create"
    ? { kind: "result", json: rawJson('{"action":"cancel"}') }
    : askError(-32603, "The caller was asked and did not answer.");

export class OpenQuestions {
  readonly #open = new Map<string, Question>();
  #numbers = 0;
  #chars = 0;

  get size(): number {
    return this.#open.size;
  }

  /** The server may take it back by its signal. */
  add(ask: Ask, signal: AbortSignal): Promise<AskAnswer> {
    const chars = this.#chars + ask.params.length;
    if (signal.aborted || this.#open.size >= MAX_QUESTIONS || chars > MAX_CHARS) {
      return Promise.resolve(notAnswered(ask.method));
    }
    this.#chars = chars;
    setMaxListeners(MAX_QUESTIONS * 2, signal);
    const key = this.#keyFor(ask);
    return new Promise((resolve) => {
      const answer = (said: AskAnswer): void => {
        if (!this.#open.delete(key)) return;
        this.#chars -= ask.params.length;
        signal.removeEventListener("abort", takeBack);
        resolve(said);
      };
      const takeBack = (): void => answer(notAnswered(ask.method));
      signal.addEventListener("abort", takeBack);
      this.#open.set(key, { ask, shown: false, answer });
    });
  }

  /** What has no answer that fits stays open. */
  answer(responses: InputResponses): void {
    for (const [key, { ask, shown, answer }] of this.#open) {
      const json = shown ? responses.get(key) : undefined;
      if (json !== undefined && fitsQuestion(ask.method, json)) answer({ kind: "result", json });
    }
  }

  /** A retry may declare less than the request before it. */
  dropUndeclared(declared: Declared): void {
    for (const { ask, answer } of this.#open.values()) {
      if (lacking(ask, declared) !== null) answer(askError(-32601, "The caller cannot be asked that."));
    }
  }

  /** Every question gets its answer now. */
  withdraw(): void {
    for (const { ask, answer } of this.#open.values()) answer(notAnswered(ask.method));
  }

  /** The object of the questions, for the caller to see. */
  show(): RawJson {
    let text = "";
    for (const [key, question] of this.#open) {
      question.shown = true;
      const { method, params } = question.ask;
      text += `${text === "" ? "" : ","}"${key}":{"method":"${method}","params":${params}}`;
    }
    return rawJson(`{${text}}`);
  }

  #keyFor({ key, method }: Ask): string {
    if (key !== null && KEY.test(key) && !this.#open.has(key)) return key;
    for (;;) {
      const made = `${LETTERS[method]}${++this.#numbers}`;
      if (!this.#open.has(made)) return made;
    }
  }
}
