/** Regular expressions that callers and configs write, in linear time. The work of all of one answer is bounded. */
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);
const MAX_PATTERN = 2_000;
const MAX_WORK = 30_000_000;

/** True, false, or why it cannot be said. */
export type PatternTest = (text: string) => boolean | { readonly fault: string };

export class LinearPatterns {
  #work = 0;

  test(pattern: string, text: string): ReturnType<PatternTest> {
    if (pattern.length > MAX_PATTERN) return { fault: `it is longer than ${MAX_PATTERN} characters` };
    const { RE2JS } = require("re2js") as typeof import("re2js");
    let compiled: import("re2js").RE2JS;
    try {
      compiled = RE2JS.compile(RE2JS.translateRegExp(pattern));
    } catch {
      return { fault: "it is no regular expression without look-around and back-references" };
    }
    this.#work += (text.length * compiled.programSize()) / 16;
    return this.#work > MAX_WORK ? { fault: "it takes too much work for so long a text" } : compiled.test(text);
  }
}
