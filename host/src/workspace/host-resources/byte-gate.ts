/**
 * How many bytes of files are in memory at once, however many are asked for: what does not fit waits its turn.
 */
interface Waiting {
  readonly bytes: number;
  readonly enter: () => void;
}

export class ByteGate {
  readonly #limit: number;
  readonly #waiting: Waiting[] = [];
  #inside = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** One that is larger than all there is goes in alone. */
  async hold<T>(bytes: number, work: () => Promise<T>): Promise<T> {
    if (this.#waiting.length > 0 || !this.#fits(bytes)) {
      await new Promise<void>((enter) => this.#waiting.push({ bytes, enter }));
    } else this.#inside += bytes;
    try {
      return await work();
    } finally {
      this.#inside -= bytes;
      this.#admit();
    }
  }

  #fits(bytes: number): boolean {
    return this.#inside === 0 || this.#inside + bytes <= this.#limit;
  }

  /** Counted in here, before the next one looks. */
  #admit(): void {
    for (let next = this.#waiting[0]; next && this.#fits(next.bytes); next = this.#waiting[0]) {
      this.#waiting.shift();
      this.#inside += next.bytes;
      next.enter();
    }
  }
}
