/**
 * The beginning of what a script wrote, for people. Secrets are taken out before it is cut, or the first half of one that
 * stands across the cut would be shown; so more has to be kept than is shown, and of that the end is left away.
 */
import type { Redaction } from "../redaction.ts";

/** Of UTF-8, for one of the characters that a string counts. */
const MAX_BYTES = 3;
/** What is put in place of a secret may be longer than it, up to two and a half times. */
const GROWTH = 3;

export class ShownBeginning {
  /** How much of what was written has to be kept. */
  readonly bytes: number;
  readonly #redaction: Redaction;
  readonly #max: number;
  /** What the beginning of a secret takes up at most, at the end of what was kept. */
  readonly #margin: number;

  /** `max`: characters. The redaction knows all that the script was given. */
  constructor(redaction: Redaction, max: number) {
    this.#redaction = redaction;
    this.#max = max;
    this.#margin = GROWTH * redaction.longest;
    this.bytes = MAX_BYTES * (max + this.#margin);
  }

  show(written: Buffer): string {
    const clean = this.#redaction.clean(written.toString("utf8", 0, Math.min(written.length, this.bytes)));
    const known = written.length < this.bytes ? clean.length : Math.max(0, clean.length - this.#margin);
    return clean.slice(0, Math.min(known, this.#max));
  }
}
