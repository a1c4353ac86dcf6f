/**
 * One look at the text of an envelope for all that its value does not tell: how many members it has, whether there is a number
 * in it, and where the arguments are. Of text that parses.
 */
import { rawJson, type RawJson } from "../../kernel/raw-json.ts";
import { skipString } from "../../kernel/scan-json.ts";
import type { MemberCounter } from "../parse-body.ts";

const QUOTE = 34;
const COMMA = 44;
const COLON = 58;
const OPEN_ARRAY = 91;
const CLOSE_ARRAY = 93;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;

/** What the names of the arguments begin with. */
const A = 97;
const P = 112;

export class EnvelopeScan implements MemberCounter {
  /** Outside of strings. */
  hasDigit = false;
  #text = "";
  #start = -1;
  #end = -1;

  /** As `countMembers` counts them. */
  count(text: string, maxDepth: number): number {
    let count = 0;
    let depth = 0;
    let quote = 0;
    let isOpen = false;
    this.#text = text;
    for (let i = 0; i < text.length; i++) {
      const c = text.charCodeAt(i);
      if (c === QUOTE) {
        if (depth === 1) quote = i;
        i = skipString(text, i) - 1;
      } else if (c === COLON) {
        count++;
        if (depth === 1 && isArguments(text, quote)) {
          isOpen = true;
          this.#start = i + 1;
          this.#end = -1;
        }
      } else if (c === OPEN_OBJECT || c === OPEN_ARRAY) {
        if (++depth > maxDepth) return -1;
      } else if (c === CLOSE_OBJECT || c === CLOSE_ARRAY) {
        depth--;
        if (isOpen && depth === 1) {
          isOpen = false;
          this.#end = i + 1;
        }
      } else if (c === COMMA) {
        if (depth === 1) isOpen = false;
      } else if (c >= 48 && c <= 57) this.hasDigit = true;
    }
    return count;
  }

  /** The arguments, an object or a list, as they stand there. Null: nothing of their names was seen as it is. */
  arguments(): RawJson | null {
    return this.#end === -1 ? null : rawJson(this.#text.slice(this.#start, this.#end).trimStart());
  }
}

/** Whether the name that opens there is one of the two that the arguments may have. */
const isArguments = (text: string, quote: number): boolean => {
  const first = text.charCodeAt(quote + 1);
  if (first === P) return text.startsWith('payload"', quote + 1);
  return first === A && text.startsWith('arguments"', quote + 1);
};
