/**
 * Lists again when the server says that something changed: several notices become one listing, and one that comes while a
 * listing runs is answered by the next. A listing that fails leaves the last catalogue in place.
 */
import type { Catalogue } from "../kernel/provider.ts";
import type { Connection } from "./connection.ts";
import type { Timing } from "./timing.ts";

export class Relisting {
  readonly #timing: Timing;
  readonly #onListed: (catalogue: Catalogue, connection: Connection) => void;
  #connection: Connection | null = null;
  #timer: NodeJS.Timeout | undefined;
  #abort = new AbortController();
  #asked = false;
  #running = false;

  constructor(timing: Timing, onListed: (catalogue: Catalogue, connection: Connection) => void) {
    this.#timing = timing;
    this.#onListed = onListed;
  }

  /** A notice; may come before `begin`, while the first listing runs. */
  ask(): void {
    if (this.#asked) return;
    this.#asked = true;
    this.#schedule();
  }

  begin(connection: Connection): void {
    this.#connection = connection;
    if (this.#asked) this.#schedule();
  }

  end(): void {
    this.#connection = null;
    clearTimeout(this.#timer);
    this.#abort.abort();
  }

  #schedule(): void {
    if (this.#connection === null || this.#running) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#list(), this.#timing.relistDelayMs);
  }

  async #list(): Promise<void> {
    const connection = this.#connection;
    if (connection === null) return;
    this.#asked = false;
    this.#running = true;
    try {
      const signal = AbortSignal.any([this.#abort.signal, AbortSignal.timeout(this.#timing.relistTimeoutMs)]);
      const catalogue = await connection.list(signal);
      if (this.#connection === connection) this.#onListed(catalogue, connection);
    } catch {
      // The connection's end is told elsewhere; a server that cannot list keeps what it last listed.
    } finally {
      this.#running = false;
    }
    if (this.#asked) this.#schedule();
  }
}
