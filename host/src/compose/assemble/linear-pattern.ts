/** Regular expressions that callers and configs write, in linear time. The work of all rules of one answer is bounded. */
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);
const MAX_PATTERN = 2_000;
/** Each takes some ten nanoseconds. */
const MAX_WORK = 30_000_000;
/** To compile one character of a pattern. */
const COMPILING = 500;

/** True, false, or why it cannot be said. */
export type PatternTest = (text: string) => boolean | { readonly fault: string };

export const TOO_MUCH_WORK = "it takes too much work for so long a text";

export class LinearPatterns {
  #work = 0;

  /** Whether that much may still be done; it counts from then on. */
  spend(work: number): boolean {
    this.#work += work;
    return this.#work <= MAX_WORK;
  }

  test(pattern: string, text: string): ReturnType<PatternTest> {
    if (pattern.length > MAX_PATTERN) return { fault: `it is longer than ${MAX_PATTERN} characters` };
    if (!this.spend(pattern.length * COMPILING)) return { fault: TOO_MUCH_WORK };
    const { RE2JS } = require("re2js") as typeof import("re2js");
    let compiled: import("re2js").RE2JS;
    try {
      compiled = RE2JS.compile(RE2JS.translateRegExp(pattern));
    } catch {
      return { fault: "it is no regular expression without look-around and back-references" };
    }
    const isLittle = this.spend((text.length * compiled.programSize()) / 16);
    return isLittle ? compiled.test(text) : { fault: TOO_MUCH_WORK };
  }
}
