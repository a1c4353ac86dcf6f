/** The questions to the evidence worker that wait for their answers. */
import type { FromWorker, Question, ToWorker } from "./worker-messages.ts";

interface Waiting extends PromiseWithResolvers<unknown> {
  readonly question: Question;
}

export class WorkerQuestions {
  readonly #post: (message: ToWorker) => void;
  readonly #refuse: (reason: string, question: Question) => Error;
  readonly #waiting = new Map<number, Waiting>();
  #last = 0;

  constructor(post: (message: ToWorker) => void, refuse: (reason: string, question: Question) => Error) {
    this.#post = post;
    this.#refuse = refuse;
  }

  get size(): number {
    return this.#waiting.size;
  }

  /** The caller knows what this question is answered with. */
  ask(question: Question): Promise<unknown> {
    const id = ++this.#last;
    const answer = { question, ...Promise.withResolvers<unknown>() };
    this.#waiting.set(id, answer);
    this.#post({ ask: "question", id, question });
    return answer.promise;
  }

  hear(message: Extract<FromWorker, { kind: "answered" | "unanswered" }>): void {
    const answer = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if (message.kind === "answered") answer?.resolve(message.value);
    else answer?.reject(this.#refuse(message.reason, answer.question));
  }

  failAll(reason: string): void {
    for (const { reject, question } of this.#waiting.values()) reject(this.#refuse(reason, question));
    this.#waiting.clear();
  }
}
