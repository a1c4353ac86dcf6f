/** What a generator that runs in the host is given, and how it says no. */
import { ComposeError } from "../compose-error.ts";
import type { ContentConfig, GenerationPattern } from "../configs/config-types.ts";
import type { Context } from "../configs/read-context.ts";

export interface Generation {
  readonly config: ContentConfig;
  /** Null: the config has none for it. */
  readonly pattern: GenerationPattern | null;
  /** The config's own, overlaid by the caller's. */
  readonly context: Context;
  /** Of the text, as UTF-8. */
  readonly maxBytes: number;
}

/** Throws ComposeError. */
export type Generate = (generation: Generation) => string;

export const generationFailed = (message: string, details: Readonly<Record<string, unknown>> = {}): ComposeError =>
  new ComposeError("generation_failed", message, details);

export const tooLarge = (size: number, limit: number): ComposeError =>
  new ComposeError("content_too_large", `The text has ${size} bytes; at most ${limit} are allowed.`, { size, limit });

/** Of a text that was not made to its end: so many bytes are certain. */
export const tooLargeAlready = (size: number, limit: number): ComposeError =>
  new ComposeError("content_too_large", `The text would have ${size} bytes or more; at most ${limit} are allowed.`, {
    size,
    limit,
    at_least: true,
  });

const LONG = 256;

/** Joins what was made; measured before, so that no text is built only to be refused. */
export const joinPieces = (pieces: readonly string[], maxBytes: number): string => {
  // A long value that stands in many places is measured once.
  const known = new Map<string, number>();
  let size = 0;
  for (const piece of pieces) {
    const found = piece.length < LONG ? undefined : known.get(piece);
    const bytes = found ?? Buffer.byteLength(piece);
    if (found === undefined && piece.length >= LONG) known.set(piece, bytes);
    size += bytes;
  }
  if (size > maxBytes) throw tooLarge(size, maxBytes);
  return pieces.join("");
};
