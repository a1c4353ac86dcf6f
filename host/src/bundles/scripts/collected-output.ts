/** All that a script writes to stdout, in one buffer that grows: a program may write it byte by byte. */
const FIRST_BYTES = 64 * 1024;

export class CollectedOutput {
  #buffer: Buffer = Buffer.alloc(0);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Copied, so that nothing of the pipe is held. */
  push(chunk: Buffer): void {
    const size = this.#size + chunk.length;
    if (size > this.#buffer.length) this.#grow(size);
    chunk.copy(this.#buffer, this.#size);
    this.#size = size;
  }

  /** Only the first bytes are kept. */
  cut(bytes: number): void {
    this.#buffer = Buffer.from(this.bytes().subarray(0, bytes));
    this.#size = this.#buffer.length;
  }

  bytes(): Buffer {
    return this.#buffer.subarray(0, this.#size);
  }

  #grow(size: number): void {
    const grown = Buffer.allocUnsafeSlow(Math.max(FIRST_BYTES, size, 2 * this.#buffer.length));
    this.bytes().copy(grown);
    this.#buffer = grown;
  }
}
