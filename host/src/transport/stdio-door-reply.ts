/** The answer to one request on a pipe, and what is said before it. */
import { NoticeQueue } from "./notice-queue.ts";
import type { NoticeSink } from "./notice-sink.ts";
import type { JsonAnswer } from "./send-json.ts";
import type { StdioOutput } from "./stdio-door-output.ts";

export class StdioReply implements NoticeSink {
  readonly takesNotices = true;
  readonly #output: StdioOutput;
  #waiting: { readonly queue: NoticeQueue; readonly stop: () => void } | null = null;
  #done = false;

  constructor(output: StdioOutput) {
    this.#output = output;
  }

  progress(token: string, text: string): void {
    if (this.#done) return;
    if (this.#output.slow) this.#queue().progress(token, text);
    else this.#output.say(text);
  }

  log(text: string): void {
    if (this.#done) return;
    if (this.#output.slow) this.#queue().log(text);
    else this.#output.say(text);
  }

  ask(text: string): boolean {
    if (this.#done) return false;
    this.#output.say(text);
    return true;
  }

  /** Null: the caller cancelled, nothing is owed. */
  finish(answer: JsonAnswer | null): void {
    if (answer !== null) this.#flush();
    this.#waiting?.stop();
    this.#done = true;
    if (answer !== null) this.#output.say(answer.text);
  }

  #queue(): NoticeQueue {
    this.#waiting ??= { queue: new NoticeQueue(), stop: this.#output.onDrain(() => this.#flush()) };
    return this.#waiting.queue;
  }

  #flush(): void {
    for (const text of this.#waiting?.queue.take() ?? []) this.#output.say(text);
  }
}
