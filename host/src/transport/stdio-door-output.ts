/**
 * The lines that go to a client on a pipe. All that is written in one turn goes out in one write; while the pipe is full
 * nothing more is handed to it, and `slow` says so to whoever can wait.
 */
import type { Writable } from "node:stream";
import { oneLine } from "./one-line.ts";

/** More than this in one turn is as good as a full pipe. */
const MUCH = 65_536;

export class StdioOutput {
  readonly #pipe: Writable;
  readonly #onDrain = new Set<() => void>();
  readonly #flush = (): void => this.#write();
  readonly #drained = (): void => {
    this.#full = false;
    this.#write();
    if (!this.slow) this.#announce();
  };
  readonly #lost: () => void;
  #text = "";
  #scheduled = false;
  #full = false;

  /** `onLost`: nobody reads any more. */
  constructor(pipe: Writable, onLost: () => void) {
    this.#pipe = pipe;
    this.#lost = onLost;
    pipe.on("drain", this.#drained).on("error", onLost).on("close", onLost);
  }

  get slow(): boolean {
    return this.#full || this.#text.length > MUCH;
  }

  say(json: string): void {
    this.#text += oneLine(json);
    this.#text += "\n";
    if (this.#scheduled) return;
    this.#scheduled = true;
    process.nextTick(this.#flush);
  }

  /** Called each time a slow reader has caught up, until the returned function is called. */
  onDrain(listener: () => void): () => void {
    this.#onDrain.add(listener);
    return () => this.#onDrain.delete(listener);
  }

  /** Resolves when the reader has everything, or is gone. */
  flushed(): Promise<void> {
    const text = this.#text;
    this.#text = "";
    return new Promise((resolve) => {
      this.#pipe.write(text, () => resolve());
    });
  }

  /** Leaves the pipe to its owner. */
  release(): void {
    this.#pipe.off("drain", this.#drained).off("error", this.#lost).off("close", this.#lost);
  }

  #write(): void {
    this.#scheduled = false;
    if (this.#full || this.#text === "") return;
    const text = this.#text;
    this.#text = "";
    if (!this.#pipe.destroyed) this.#full = !this.#pipe.write(text);
    // A pipe that took much at once was never full, and will not say that it drained.
    if (text.length > MUCH && !this.#full) this.#announce();
  }

  #announce(): void {
    for (const listener of this.#onDrain) listener();
  }
}
