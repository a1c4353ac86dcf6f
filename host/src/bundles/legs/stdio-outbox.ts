/**
 * What goes to a server's stdin. All that is written in one turn goes out in one write; while the pipe is full nothing
 * more is handed to it.
 */
import type { Writable } from "node:stream";

/** Answers to a server that asks but does not read are dropped beyond this. */
const MAX_UNREAD_REPLIES = 65_536;
/** Room for a few of the largest answers that a caller can give. */
const MAX_UNREAD_ANSWERS = 16_777_216;

export class StdioOutbox {
  readonly #stdin: Writable;
  readonly #flush = (): void => this.#write();
  #text = "";
  #scheduled = false;
  #full = false;

  constructor(stdin: Writable, onDrain: () => void) {
    this.#stdin = stdin;
    stdin.on("drain", () => {
      this.#full = false;
      if (this.#text !== "") this.#write();
      onDrain();
    });
  }

  writable(): boolean {
    return !this.#full;
  }

  send(text: string): void {
    this.#text += text;
    this.#text += "\n";
    if (this.#scheduled) return;
    this.#scheduled = true;
    process.nextTick(this.#flush);
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

  #write(): void {
    this.#scheduled = false;
    if (this.#full || this.#text === "" || this.#stdin.destroyed) return;
    const text = this.#text;
    this.#text = "";
    this.#full = !this.#stdin.write(text);
  }
}
