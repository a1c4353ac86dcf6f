/** What one rendering may use: steps, depth and lengths of text. Text costs by length, so steps bound memory too. */
import { TemplateError } from "../template-error.ts";

/** Lower than what the stack holds; a stack that is smaller still ends in the same error. */
const MAX_DEPTH = 1500;
const CHARACTERS_PER_STEP = 128;
const CHARACTERS_WORKED_PER_STEP = 32;
/** A search may compare what is looked for at each place, nearly to its end. */
const COMPARED_PER_STEP = 2_048;

export class Budget {
  readonly maxText: number;
  readonly #fuel: number;
  #left: number;
  #depth = 0;

  constructor(fuel: number, maxText: number) {
    this.#fuel = fuel;
    this.#left = fuel;
    this.maxText = maxText;
  }

  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw new TemplateError("limit", `it takes more than ${this.#fuel} steps`);
  }

  /** Pays for text of this length before it is made. */
  spendText(length: number): void {
    if (length > this.maxText)
      throw new TemplateError("limit", `it makes a text longer than ${this.maxText} characters`);
    this.spend(1 + length / CHARACTERS_PER_STEP);
  }

  /** Pays for going through text of this length one character at a time, which takes longer than copying it. */
  spendWork(length: number): void {
    this.spend(1 + length / CHARACTERS_WORKED_PER_STEP);
  }

  /** Pays for looking for a text of the second length in one of the first. */
  spendSearch(length: number, wanted: number): void {
    this.spend(1 + length / CHARACTERS_PER_STEP + (length * Math.min(wanted, length)) / COMPARED_PER_STEP);
  }

  /** Pays for text that was just made and is at most a few times as long as what was paid for. */
  text(text: string): string {
    this.spendText(text.length);
    return text;
  }

  enter(): void {
    this.#depth += 1;
    this.spend(1);
    if (this.#depth > MAX_DEPTH) throw new TemplateError("limit", "it is nested too deeply");
  }

  leave(): void {
    this.#depth -= 1;
  }
}
