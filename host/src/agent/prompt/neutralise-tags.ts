/**
 * Takes from a text every way to open or close one of the tags that contain untrusted text: its `<` becomes `‹`. A tag counts
 * in any case, with blanks or unseen characters anywhere in it, in full-width or accented letters, and with its characters
 * written as entities, as escapes of JSON or in percent; so does the beginning of one at the end of the text. Whatever else
 * has a `<` stays as it is. Linear time. Pure.
 */
export const TAGS = [
  "app-info",
  "app-instructions",
  "app-state",
  "file",
  "tool-result",
  "server-skill",
  "runtime-context",
] as const;

export type Tag = (typeof TAGS)[number];

const LONGEST = Math.max(...TAGS.map((tag) => tag.length));
/** One character that is written out, and what it stands for. The digits are few, so that none costs much. */
const ENTITY =
  /&(?:amp;){0,4}(?:#x0{0,8}([0-9a-f]{1,5})|#0{0,8}([0-9]{1,6})|(lt|gt|sol|hyphen|dash|tab|newline|nbsp|shy));?/iy;
const ESCAPE = /\\u([0-9a-f]{4})|\\u\{0{0,8}([0-9a-f]{1,5})\}|\\x([0-9a-f]{2})|%([0-9a-f]{2})/iy;
const NAMED: Readonly<Record<string, string>> = { lt: "<", gt: ">", sol: "/", hyphen: "-", dash: "-" };
/** Where a `<` may stand. */
const OPENINGS = /[<\uff1c\ufe64\u226e&\\%]/g;
const SKIPPED = /^[\s\p{C}\p{M}\p{Z}]*$/u;
const DASH = /^[\p{Pd}\u2212_]$/u;
const WORD = /^[\p{L}\p{N}_-]/u;

interface Read {
  /** As it is compared; empty: nothing that counts. */
  readonly as: string;
  readonly next: number;
}

export const neutraliseTags = (text: string): string => {
  const whole = text.toWellFormed();
  let done = 0;
  let safe = "";
  OPENINGS.lastIndex = 0;
  for (let found = OPENINGS.exec(whole); found !== null; found = OPENINGS.exec(whole)) {
    const { as, next } = readAt(whole, found.index);
    if (as !== "<" || !isTagAt(whole, next)) continue;
    safe += `${whole.slice(done, found.index)}‹`;
    done = next;
    OPENINGS.lastIndex = next;
  }
  return done === 0 ? whole : safe + whole.slice(done);
};

/** What follows a `<`: perhaps a slash, and the name of a tag. */
const isTagAt = (text: string, start: number): boolean => {
  let name = "";
  let at = start;
  while (at < text.length && name.length < LONGEST) {
    const { as, next } = readAt(text, at);
    at = next;
    // Backslashes count nowhere: an escape that was escaped once more has two.
    if (as === "" || as === "\\" || (as === "/" && name === "")) continue;
    name += as;
    const tag = TAGS.find((each) => each.startsWith(name));
    if (tag === undefined) return false;
    // What goes on is another word, such as `<filename>`.
    if (tag === name) return !WORD.test(text.slice(at, at + 2));
  }
  // The text ends before the name does: what is put after it could be the rest.
  return at >= text.length;
};

const readAt = (text: string, at: number): Read => {
  const first = text[at];
  const written = first === "&" ? entityAt(text, at) : first === "\\" || first === "%" ? escapeAt(text, at) : null;
  if (written !== null) return { as: comparable(written.as), next: written.next };
  const code = text.codePointAt(at) ?? 0;
  return { as: comparable(String.fromCodePoint(code)), next: at + (code > 0xffff ? 2 : 1) };
};

const comparable = (character: string): string => {
  if (character <= "\u007f") {
    if (character === "_") return "-";
    return character > " " && character !== "\u007f" ? character.toLowerCase() : "";
  }
  if (SKIPPED.test(character)) return "";
  const plain = character.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase();
  return DASH.test(plain) ? "-" : plain;
};

const entityAt = (text: string, at: number): Read | null => {
  ENTITY.lastIndex = at;
  const [whole = "", hex, decimal, name = ""] = ENTITY.exec(text) ?? [];
  if (whole === "") return null;
  const as = hex ? fromCode(hex, 16) : decimal ? fromCode(decimal, 10) : (NAMED[name.toLowerCase()] ?? "");
  return { as, next: at + whole.length };
};

const escapeAt = (text: string, at: number): Read | null => {
  ESCAPE.lastIndex = at;
  const [whole = "", ...digits] = ESCAPE.exec(text) ?? [];
  return whole === "" ? null : { as: fromCode(digits.join(""), 16), next: at + whole.length };
};

const fromCode = (digits: string, base: number): string => {
  const code = Number.parseInt(digits, base);
  return code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff) ? "" : String.fromCodePoint(code);
};
