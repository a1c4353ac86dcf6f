/**
 * Resources that a legacy server is to tell of: `resources/subscribe` and `resources/unsubscribe`, a few at a time, until
 * what it was asked for is what is wanted. A resource that it refuses is not asked for again on this connection.
 */
import type { Correlator } from "./correlator.ts";

const AT_ONCE = 8;

export class Subscribing {
  readonly #correlator: Correlator;
  readonly #asked = new Set<string>();
  #wanted: ReadonlySet<string> = new Set();
  #running = false;

  constructor(correlator: Correlator) {
    this.#correlator = correlator;
  }

  want(uris: ReadonlySet<string>): void {
    this.#wanted = uris;
    if (!this.#running) void this.#run();
  }

  async #run(): Promise<void> {
    this.#running = true;
    for (;;) {
      const next = this.#next();
      if (next.length === 0 || this.#correlator.over()) break;
      await Promise.all(next.map((uri) => this.#ask(uri)));
    }
    this.#running = false;
  }

  #next(): readonly string[] {
    const next: string[] = [];
    for (const uri of this.#asked) {
      if (next.length < AT_ONCE && !this.#wanted.has(uri)) next.push(uri);
    }
    for (const uri of this.#wanted) {
      if (next.length < AT_ONCE && !this.#asked.has(uri)) next.push(uri);
    }
    return next;
  }

  async #ask(uri: string): Promise<void> {
    const isWanted = !this.#asked.delete(uri);
    if (isWanted) this.#asked.add(uri);
    const asked = this.#correlator.ask({
      method: isWanted ? "resources/subscribe" : "resources/unsubscribe",
      params: `"uri":${JSON.stringify(uri)}`,
      meta: "",
      name: null,
      signal: null,
      listener: null,
      control: true,
      timeoutMs: this.#correlator.limits.timeoutMs,
    });
    // That the connection is gone is told elsewhere, and a refusal changes nothing for those who watch.
    await asked.catch(() => null);
  }
}
