/** How long a start may take. What is fetched for it first does not count: a slow network says nothing about the bundle. */
export interface StartClockOptions {
  readonly limitMs: number;
  readonly onLate: (late: Error) => void;
}

export class StartClock {
  readonly #options: StartClockOptions;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: StartClockOptions) {
    this.#options = options;
    this.#begin();
  }

  /** It begins anew when that has ended. */
  async without<T>(work: () => Promise<T>): Promise<T> {
    this.stop();
    try {
      return await work();
    } finally {
      this.#begin();
    }
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #begin(): void {
    const { limitMs, onLate } = this.#options;
    this.#timer = setTimeout(() => onLate(new Error(`it was not ready ${limitMs / 1000} s after its start`)), limitMs);
  }
}
