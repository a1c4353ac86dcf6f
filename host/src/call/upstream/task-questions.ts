/**
 * What a task of the host asks its caller. There is no request of the caller that waits: it finds the questions when it asks
 * after the task, and answers them by their names. Bounded in number, size and time.
 */
import { askError, type Ask, type AskAnswer, type Asker, type AskMethod, type Declared } from "../../kernel/ask.ts";
import type { Presented } from "../../kernel/principal.ts";
import { rawJson, type RawJson } from "../../kernel/raw-json.ts";
import { membersOf, sliceJson } from "../../kernel/scan-json.ts";

const MAX_QUESTIONS = 64;
const MAX_CHARS = 1 << 20;
const HOLD_MS = 600_000;
const KEY = /^(?!__proto__$)[A-Za-z0-9_.-]{1,64}$/;
const ACTIONS: ReadonlySet<unknown> = new Set(["accept", "decline", "cancel"]);

interface Question {
  readonly ask: Ask;
  readonly answer: (said: AskAnswer) => void;
}

export class TaskQuestions implements Asker {
  readonly returns = false;
  readonly declared: Declared;
  readonly #changed: () => void;
  readonly #open = new Map<string, Question>();
  #chars = 0;
  #asked = 0;

  constructor(declared: Declared, changed: () => void) {
    this.declared = declared;
    this.#changed = changed;
  }

  get size(): number {
    return this.#open.size;
  }

  held(): boolean {
    return this.#open.size > 0;
  }

  ask(ask: Ask, signal: AbortSignal): Promise<AskAnswer> {
    const { length } = ask.params;
    if (signal.aborted || this.#open.size >= MAX_QUESTIONS || this.#chars + length > MAX_CHARS)
      return Promise.resolve(notAnswered(ask.method));
    const key = this.#keyFor(ask);
    this.#chars += length;
    const { promise, resolve } = Promise.withResolvers<AskAnswer>();
    const answer = (said: AskAnswer): void => {
      if (!this.#open.delete(key)) return;
      this.#chars -= length;
      clearTimeout(timer);
      signal.removeEventListener("abort", giveUp);
      resolve(said);
      this.#changed();
    };
    const giveUp = (): void => answer(notAnswered(ask.method));
    const timer = setTimeout(giveUp, HOLD_MS).unref();
    signal.addEventListener("abort", giveUp);
    this.#open.set(key, { ask, answer });
    this.#changed();
    return promise;
  }

  /** What has no answer that fits stays open. */
  answer(responses: RawJson, presented: Presented): void {
    const given = new Map(membersOf(responses).map((member) => [member.key, sliceJson(responses, member)]));
    for (const [key, { ask, answer }] of this.#open) {
      const json = given.get(key);
      if (json !== undefined && fits(ask.method, json)) answer({ kind: "result", json, presented });
    }
  }

  /** The object of the questions. */
  show(): RawJson {
    const shown = [...this.#open].map(([key, { ask }]) => `"${key}":{"method":"${ask.method}","params":${ask.params}}`);
    return rawJson(`{${shown.join(",")}}`);
  }

  #keyFor({ key }: Ask): string {
    if (key !== null && KEY.test(key) && !this.#open.has(key)) return key;
    let made: string;
    do made = `q${++this.#asked}`;
    while (this.#open.has(made));
    return made;
  }
}

const notAnswered = (method: AskMethod): AskAnswer =>
  method === "elicitation/create"
    ? { kind: "result", json: rawJson('{"action":"cancel"}') }
    : askError(-32603, "The caller was asked and did not answer.");

const fits = (method: AskMethod, json: RawJson): boolean => {
  const value = JSON.parse(json) as { readonly action?: unknown } | null;
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  return method !== "elicitation/create" || ACTIONS.has(value.action);
};
