/**
 * Looks at directories from time to time, and at once when asked. One look at a time; whoever asks while one has begun gets
 * the next one.
 */
const CHECK_MS = 3_000;
/** Looking takes no more than about one part in so many of the time, however much there is to look at. */
const SHARE = 100;

export interface LookingOptions {
  /** Never rejects. */
  readonly look: () => Promise<void>;
  readonly checkMs: number | undefined;
}

export class Looking {
  readonly #options: LookingOptions;
  #last: Promise<void> = Promise.resolve();
  /** The look that has not begun. */
  #next: Promise<void> | null = null;
  #timer: NodeJS.Timeout | null = null;
  #closed = false;

  constructor(options: LookingOptions) {
    this.#options = options;
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Resolves when what was found is served. Never rejects. */
  refresh(): Promise<void> {
    this.#next ??= this.#last.then(() => {
      this.#next = null;
      return this.#look();
    });
    this.#last = this.#next;
    return this.#next;
  }

  /** Resolves when no look goes on any more. */
  close(): Promise<void> {
    this.#closed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    return this.#last;
  }

  async #look(): Promise<void> {
    if (this.#closed) return;
    if (this.#timer !== null) clearTimeout(this.#timer);
    const { look, checkMs = CHECK_MS } = this.#options;
    const started = performance.now();
    await look();
    if (this.#closed) return;
    const pause = Math.max(checkMs, (performance.now() - started) * SHARE);
    this.#timer = setTimeout(() => void this.refresh(), pause).unref();
  }
}
