/** What the system tools answer with, and their "no". */
import { nearest } from "@bailiwick/contract";
import type { BuiltInResult } from "../../kernel/built-in.ts";
import { Refusal } from "../../kernel/refusal.ts";
import { oneLine } from "../prompt/one-line.ts";

/** The same as text, for clients and models that know no structured results. */
export const answer = (structuredContent: object): BuiltInResult => ({
  content: [{ type: "text", text: JSON.stringify(structuredContent) }],
  structuredContent,
});

/** `path`: JSON pointer of the argument; `must`: what it has to be. */
export const invalidInput = (path: string, must: string, next: string): Refusal =>
  new Refusal("invalid_input", { message: `${path} ${must}.`, next, details: { path, reason: must } });

/** `known`: names that the caller may hear. */
export const unknownName = (what: string, name: string, known: readonly string[]): Refusal => {
  const asked = oneLine(name, 64);
  const guess = nearest(asked, known, 3);
  const near = [...new Set([...(guess === null ? [] : [guess]), ...known.filter((each) => isLike(each, asked))])];
  const shown = (near.length > 0 ? near : known).slice(0, MOST_NAMES).map((each) => oneLine(each, 64));
  return new Refusal("not_found", {
    message: `There is no ${what} ${JSON.stringify(asked)} here.`,
    next:
      shown.length === 0
        ? `There is no ${what} at all: go on without.`
        : near.length > 0
          ? `Did you mean ${shown.join(", ")}?`
          : `Take one of these: ${shown.join(", ")}${known.length > shown.length ? ", and others" : ""}.`,
    details: { suggestions: near.slice(0, MOST_NAMES) },
  });
};

const MOST_NAMES = 5;

const isLike = (name: string, asked: string): boolean => {
  const [a, b] = [name.toLowerCase(), asked.toLowerCase()];
  return b.length > 2 && (a.includes(b) || b.includes(a));
};
