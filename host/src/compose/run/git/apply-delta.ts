/** An object of a pack that is kept as its difference from another. Pure. */
import { generationFailed } from "../../generators/generation.ts";

const broken = (): Error => generationFailed("The repository holds an object that cannot be read");

/** Seven bits of a number in each byte, the lowest first. */
class DeltaReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  byte(): number {
    const byte = this.#bytes[this.#at++];
    if (byte === undefined) throw broken();
    return byte;
  }

  number(): number {
    let value = 0;
    for (let scale = 1; scale <= 2 ** 42; scale *= 128) {
      const byte = this.byte();
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
    throw broken();
  }

  /** Only the bytes whose bit is set are there. */
  sparse(bits: number, count: number): number {
    let value = 0;
    for (let at = 0; at < count; at++) if ((bits >> at) & 1) value += this.byte() * 256 ** at;
    return value;
  }

  take(length: number): Buffer {
    const taken = this.#bytes.subarray(this.#at, this.#at + length);
    this.#at += length;
    return taken;
  }
}

export const applyDelta = (base: Buffer, delta: Buffer, maxBytes: number): Buffer => {
  const reader = new DeltaReader(delta);
  if (reader.number() !== base.length) throw broken();
  const size = reader.number();
  if (size > maxBytes) throw generationFailed(`A file in the repository has more than ${maxBytes} bytes`);
  const made = Buffer.alloc(size);
  let filled = 0;
  while (!reader.isAtEnd) {
    const op = reader.byte();
    let piece: Buffer;
    if (op >= 128) {
      const from = reader.sparse(op, 4);
      const length = reader.sparse((op >> 4) & 7, 3) || 0x10000;
      if (from + length > base.length) throw broken();
      piece = base.subarray(from, from + length);
    } else {
      piece = reader.take(op);
      if (op === 0 || piece.length !== op) throw broken();
    }
    if (filled + piece.length > size) throw broken();
    piece.copy(made, filled);
    filled += piece.length;
  }
  if (filled !== size) throw broken();
  return made;
};
