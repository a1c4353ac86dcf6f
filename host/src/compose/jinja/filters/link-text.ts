/** Makes links of the addresses in a text: `https://…`, `www.…`, names that end like a site's, and mail addresses. */
import { escapeText } from "../values/escape-value.ts";

export interface LinkOptions {
  /** Longest text shown for an address; null: all of it. */
  readonly limit: number | null;
  readonly rel: string;
  readonly target: string | null;
  readonly schemes: readonly string[];
}

const WEB =
  /^(?:https?:\/\/|www\.)(?:[\w%-]+\.)+[\w%-]{2,}|^(?:https?:\/\/)[\w%.:-]+|^(?:[\w%-]+\.)+(?:com|net|int|edu|gov|org|info|mil)(?:$|[:/?#])/iu;
const MAIL_HOST = /^\w[\w.-]*\.\w+$/u;
const LEAD = /^(?:[(<]|&lt;)+/u;
const TRAIL = [")", ">", ".", ",", "\n", "&gt;"];
const PAIRS = [
  ["(", ")"],
  ["<", ">"],
  ["&lt;", "&gt;"],
] as const;

const occurrences = (text: string, mark: string): number => text.split(mark).length - 1;

/** A closing bracket that an opening one in the address belongs to is part of the address. */
const balance = (middle: string, tail: string): [string, string] => {
  let [kept, rest] = [middle, tail];
  for (const [open, close] of PAIRS) {
    const missing = Math.min(occurrences(kept, open) - occurrences(kept, close), occurrences(rest, close));
    for (let at = 0; at < missing; at += 1) {
      const end = rest.indexOf(close) + close.length;
      kept += rest.slice(0, end);
      rest = rest.slice(end);
    }
  }
  return [kept, rest];
};

/** Where the marks that close a sentence or a bracket begin. */
const trailStart = (word: string): number => {
  let end = word.length;
  for (;;) {
    const mark = TRAIL.find((one) => word.endsWith(one, end));
    if (mark === undefined) return end;
    end -= mark.length;
  }
};

const isMail = (word: string): boolean => {
  const at = word.indexOf("@");
  return at > 0 && MAIL_HOST.test(word.slice(at + 1));
};

const linkOf = (word: string, options: LinkOptions): string | null => {
  const shown = options.limit !== null && word.length > options.limit ? `${word.slice(0, options.limit)}...` : word;
  const attributes = `${options.rel === "" ? "" : ` rel="${escapeText(options.rel)}"`}${options.target === null ? "" : ` target="${escapeText(options.target)}"`}`;
  if (WEB.test(word)) {
    const address = /^https?:\/\//i.test(word) ? word : `https://${word}`;
    return `<a href="${address}"${attributes}>${shown}</a>`;
  }
  if (word.startsWith("mailto:") && isMail(word.slice(7))) return `<a href="${word}">${word.slice(7)}</a>`;
  if (!word.startsWith("www.") && !word.includes(":") && isMail(word)) return `<a href="mailto:${word}">${word}</a>`;
  const scheme = options.schemes.find((one) => word.startsWith(one) && word !== one);
  return scheme === undefined ? null : `<a href="${word}"${attributes}>${word}</a>`;
};

const linkWord = (word: string, options: LinkOptions): string => {
  const head = LEAD.exec(word)?.[0] ?? "";
  const inner = word.slice(head.length);
  const end = trailStart(inner);
  const [middle, rest] = balance(inner.slice(0, end), inner.slice(end));
  const link = linkOf(middle, options);
  return head + (link ?? middle) + rest;
};

/** `text` is escaped already. */
export const linkText = (text: string, options: LinkOptions): string =>
  text
    .split(/(\s+)/u)
    .map((word) => linkWord(word, options))
    .join("");
