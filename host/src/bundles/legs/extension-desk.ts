/**
 * What a legacy server asks of the host's own extensions, in a call or outside one: served a few at a time, and the next
 * one only when the wire has taken an answer. None is dropped; a server that asks faster than it is answered is read no
 * further until there is room.
 */
import type { ExtensionPort } from "../../kernel/host-extension.ts";
import { frameAnswer } from "./frame.ts";
import type { ServerRequest } from "./read-message.ts";

export interface DeskOptions {
  readonly port: ExtensionPort;
  /** Resolves when the wire has taken it, as far as it can tell, or never will. */
  readonly deliver: (text: string) => Promise<void>;
  /** The connection has ended: nobody waits for answers. */
  readonly over: () => boolean;
}

/** Each may hold a whole file. */
const AT_ONCE = 4;
const MAX_WAITING = 4_096;
const MAX_WAITING_LENGTH = 16_777_216;

export class ExtensionDesk {
  readonly #options: DeskOptions;
  readonly #waiting: ServerRequest[] = [];
  #waitingLength = 0;
  #active = 0;
  #room: PromiseWithResolvers<void> | null = null;

  constructor(options: DeskOptions) {
    this.#options = options;
  }

  take(request: ServerRequest): void {
    if (this.#active < AT_ONCE) return void this.#serve(request);
    this.#waiting.push(request);
    this.#waitingLength += request.paramsJson.length;
  }

  /** Null while there is room for more, else resolves when there is. */
  room(): Promise<void> | null {
    if (!this.#isFull()) return null;
    this.#room ??= Promise.withResolvers<void>();
    return this.#room.promise;
  }

  async #serve(first: ServerRequest): Promise<void> {
    const { port, deliver, over } = this.#options;
    this.#active++;
    for (let next: ServerRequest | null = first; next !== null; next = this.#next()) {
      const { id, method, params } = next;
      const said = await port.serve(method, params);
      if (!over()) await deliver(frameAnswer(id, said));
    }
    this.#active--;
  }

  #next(): ServerRequest | null {
    if (this.#options.over()) this.#waiting.length = 0;
    const next = this.#waiting.shift() ?? null;
    this.#waitingLength = next === null ? 0 : this.#waitingLength - next.paramsJson.length;
    if (this.#room !== null && !this.#isFull()) {
      this.#room.resolve();
      this.#room = null;
    }
    return next;
  }

  #isFull(): boolean {
    return this.#waiting.length >= MAX_WAITING || this.#waitingLength > MAX_WAITING_LENGTH;
  }
}
