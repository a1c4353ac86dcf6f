/** What commits to the pieces of a streamed result, in their order: SHA-256 over the canonical text of each and a line end. */
import { createHash } from "node:crypto";
import { stable } from "./stable.ts";

export class ChunkDigest {
  readonly #hash = createHash("sha256");

  add(delta: unknown): void {
    this.#hash.update(`${stable(delta)}\n`);
  }

  /** Hex, of all that were added so far. */
  value(): string {
    return this.#hash.copy().digest("hex");
  }
}

export const chunkSeqDigest = (deltas: readonly unknown[]): string => {
  const digest = new ChunkDigest();
  for (const delta of deltas) digest.add(delta);
  return digest.value();
};
