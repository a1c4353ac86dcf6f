/** A stream of messages that shares the pipe with everything else; ending it leaves the pipe open. */
import type { MessageStream } from "./message-stream.ts";
import type { StdioOutput } from "./stdio-door-output.ts";

export class StdioStream implements MessageStream {
  readonly #output: StdioOutput;
  readonly #stops: (() => void)[] = [];
  readonly #onClose: (() => void)[] = [];
  #ended = false;

  constructor(output: StdioOutput) {
    this.#output = output;
  }

  get ended(): boolean {
    return this.#ended;
  }

  get slow(): boolean {
    return this.#output.slow;
  }

  write(text: string): void {
    if (!this.#ended) this.#output.say(text);
  }

  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    for (const stop of this.#stops) stop();
    for (const listener of this.#onClose) listener();
  }

  onDrain(listener: () => void): void {
    this.#stops.push(this.#output.onDrain(listener));
  }

  onClose(listener: () => void): void {
    this.#onClose.push(listener);
  }
}
