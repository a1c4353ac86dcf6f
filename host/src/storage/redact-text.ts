/**
 * Secrets that are known by their look, wherever they stand in a text: JSON Web Tokens, PEM blocks, `Bearer …`, keys of AWS,
 * GitHub, Slack and `sk-…`, card numbers, and the operator's own patterns (linear time). Every expression here is bounded
 * or begins only once in a run of its own characters, so that no text makes it slow.
 */
import { createRequire } from "node:module";
import type { RE2JS } from "re2js";
import { redactCards } from "./redact-cards.ts";

const require = createRequire(import.meta.url);

export const REDACTED = "[REDACTED]";

const LOOKS: readonly RegExp[] = [
  /(?<![\w-])eyJ[\w-]{5,}(?:\.[\w-]*){2,4}/g,
  /-----BEGIN [A-Z0-9 ]{1,40}-----[^]*?(?:-----END [A-Z0-9 ]{1,40}-----|$)/g,
  /(?<![A-Za-z0-9])bearer[\s:=]{1,8}[^\s"'<>,;]{4,}/gi,
  /(?<![A-Za-z0-9])(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])/g,
  /(?<![A-Za-z0-9])gh[oprsu]_[A-Za-z0-9]{20,}/g,
  /(?<![A-Za-z0-9])github_pat_[A-Za-z0-9_]{20,}/g,
  /(?<![A-Za-z0-9])x(?:ox[a-z]|app)-[A-Za-z0-9-]{8,}/g,
  /(?<![A-Za-z0-9])sk-[A-Za-z0-9_-]{16,}/g,
];

/** One holds for every canonical text that has something of the above in it; asked of each event. */
const MAYBE = /eyJ|-----BEGIN |[Bb][Ee][Aa][Rr][Ee][Rr]|A(?:KI|SI|BI|CC)A|gh[oprsu]_|github_pat_|x(?:ox|app)|sk-/;
const MAYBE_CARD = /(?:[^A-Za-z\d]|\\[bfnrt]|\\u[0-9a-f]{4})[2-6](?:[ -]?\d){12}/;

export const maySeemSecret = (canonical: string): boolean => MAYBE.test(canonical) || MAYBE_CARD.test(canonical);

export type RedactText = (text: string) => string;

/** Throws an Error fit for people when a pattern is none. */
export const textRedactor = (patterns: readonly string[]): RedactText => {
  const own = patterns.map(compilePattern);
  return (text) => {
    let out = text;
    for (const look of LOOKS) out = out.replace(look, REDACTED);
    out = redactCards(out);
    for (const pattern of own) out = pattern.matcher(out).replaceAll(REDACTED);
    return out;
  };
};

const compilePattern = (pattern: string): RE2JS => {
  let compiled: RE2JS;
  try {
    // Large, and few hosts have patterns of their own.
    compiled = (require("re2js") as typeof import("re2js")).RE2JS.compile(pattern);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`evidence.redact.patterns: ${JSON.stringify(pattern)} is no regular expression (${why}). Mend it`, {
      cause: error,
    });
  }
  if (!compiled.matcher("").find()) return compiled;
  throw new Error(
    `evidence.redact.patterns: ${JSON.stringify(pattern)} matches the empty text, so it would match everywhere. Narrow it`,
  );
};
