/**
 * Regular expressions for schemas, in linear time and metered. A pattern comes from a bundle and its subject from a caller:
 * together they must not be able to hold up the host.
 */
import { createRequire } from "node:module";
import { spend } from "./check-work.ts";

const require = createRequire(import.meta.url);

/** Throws for what is no pattern. Named in `code` for the validator, which writes it into what it compiles. */
export const linearRegExp = Object.assign(
  (pattern: string): { test: (text: string) => boolean; toString: () => string } => {
    const { RE2JS } = require("re2js") as typeof import("re2js");
    const compiledPattern = RE2JS.compile(RE2JS.translateRegExp(pattern));
    const size = compiledPattern.programSize();
    const test = (text: string): boolean => {
      spend((text.length * size) / 16);
      return compiledPattern.test(text);
    };
    // The validator tells patterns apart by their text.
    return { test, toString: () => pattern };
  },
  { code: "linearRegExp" },
);
