/**
 * What goes to a server's stdin. All that is written in one turn goes out in one write; while the pipe is full nothing
 * more is handed to it. What is large waits apart, and goes out piece by piece behind everything else.
 */
import type { Writable } from "node:stream";

/** Answers to a server that asks but does not read are dropped beyond this. */
const MAX_UNREAD_REPLIES = 65_536;
/** Room for a few of the largest answers that a caller can give. */
const MAX_UNREAD_ANSWERS = 16_777_216;
/** Up to here it goes out with the rest. */
const SMALL = 4_096;

interface Parcel {
  readonly text: string;
  readonly taken: () => void;
}

export class StdioOutbox {
  readonly #stdin: Writable;
  readonly #flush = (): void => this.#write();
  readonly #parcels: Parcel[] = [];
  #text = "";
  #scheduled = false;
  #full = false;

  constructor(stdin: Writable, onDrain: () => void) {
    this.#stdin = stdin;
    stdin.on("drain", () => {
      this.#full = false;
      this.#writeText();
      // Calls that waited go before the next parcel.
      onDrain();
      this.#schedule();
    });
  }

  writable(): boolean {
    return !this.#full;
  }

  send(text: string): void {
    this.#text += text;
    this.#text += "\n";
    this.#schedule();
  }

  reply(text: string): void {
    if (this.#text.length <= MAX_UNREAD_REPLIES) this.send(text);
  }

  /** False: the server asks and asks, and reads no answers. */
  answer(text: string): boolean {
    if (this.#text.length > MAX_UNREAD_ANSWERS) return false;
    this.send(text);
    return true;
  }

  /** Resolves when the pipe has taken it; whoever sends much waits for that before the next one. */
  deliver(text: string): Promise<void> {
    if (text.length <= SMALL && !this.#full) {
      this.send(text);
      return Promise.resolve();
    }
    return new Promise((taken) => {
      this.#parcels.push({ text, taken });
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    process.nextTick(this.#flush);
  }

  #write(): void {
    this.#scheduled = false;
    this.#writeText();
    while (!this.#full && !this.#stdin.destroyed) {
      const parcel = this.#parcels.shift();
      if (!parcel) return;
      this.#full = !this.#stdin.write(`${parcel.text}\n`);
      parcel.taken();
    }
  }

  #writeText(): void {
    if (this.#full || this.#text === "" || this.#stdin.destroyed) return;
    const text = this.#text;
    this.#text = "";
    this.#full = !this.#stdin.write(text);
  }
}
