/**
 * The secrets that one bundle was given, and how they are taken out of every text about it that people, evidence or callers
 * read. It only grows, but for tokens, of which the latest are known: what an earlier process wrote is still read later.
 * Answers of tools are not its matter.
 */
import { Refusal } from "../kernel/refusal.ts";

const REDACTED = "[redacted]";
/** Shorter values are words, and hiding them would make the text unreadable. */
const MIN_LENGTH = 4;
/** Tokens come by the hour and the principal; a text that is still about an older one holds a token that is over. */
const MAX_PASSING = 256;
const SECRET_NAME = /key|token|secret|pass|auth|cred/i;

export class Redaction {
  /** Longest first: one that holds another is taken out whole. */
  #secrets: readonly string[] = [];
  #passing: readonly string[] = [];

  /** Tokens, which the next ones replace. */
  learnPassing(values: readonly string[]): void {
    const fresh = values.filter((value) => value.length >= MIN_LENGTH);
    const older = this.#passing.filter((value) => !fresh.includes(value));
    this.#passing = [...fresh, ...older].slice(0, MAX_PASSING);
  }

  learn(values: readonly string[]): void {
    const known = new Set(this.#secrets);
    for (const value of values) {
      for (const form of formsOf(value)) if (form.length >= MIN_LENGTH) known.add(form);
    }
    this.#secrets = [...known].toSorted((a, b) => b.length - a.length);
  }

  /** Those values whose names say that they are secrets. */
  learnNamed(values: Readonly<Record<string, string>>): void {
    this.learn(Object.entries(values).flatMap(([name, value]) => (SECRET_NAME.test(name) ? [value] : [])));
  }

  /** Of the longest it knows: a text that was cut may end in a part of one, which is shorter. */
  get longest(): number {
    return [...this.#secrets, ...this.#passing].reduce((longest, { length }) => Math.max(longest, length), 0);
  }

  clean(text: string): string {
    let cleaned = text;
    for (const secret of this.#secrets) cleaned = cleaned.replaceAll(secret, REDACTED);
    for (const token of this.#passing) cleaned = cleaned.replaceAll(token, REDACTED);
    return cleaned;
  }

  cleanRefusal(refusal: Refusal): Refusal {
    const { kind, message, next, details, retryAfterMs, retryable } = refusal;
    return new Refusal(kind, {
      message: this.clean(message),
      next: this.clean(next),
      details: Object.fromEntries(Object.entries(details).map(([name, value]) => [name, this.#cleanValue(value)])),
      retryable,
      ...(retryAfterMs === null ? {} : { retryAfterMs }),
    });
  }

  #cleanValue(value: unknown): unknown {
    if (typeof value === "string") return this.clean(value);
    return Array.isArray(value) ? value.map((item) => this.#cleanValue(item)) : value;
  }
}

/** How a value may show up in a line of text: whole, quoted, line by line, and of a URL its password. */
const formsOf = (value: string): string[] => {
  const lines = value.includes("\n") ? value.split("\n").map((line) => line.trim()) : [];
  return [value, value.trim(), JSON.stringify(value).slice(1, -1), ...lines, ...passwordOf(value)];
};

const passwordOf = (value: string): string[] => {
  const password = URL.parse(value)?.password ?? "";
  if (password === "") return [];
  // As it was written, as the parser writes it, and as the server uses it.
  const written = /^[^:]+:\/\/[^:@/]*:([^/]*)@/.exec(value)?.[1] ?? password;
  return [written, password, decodeSafely(password)];
};

const decodeSafely = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};
