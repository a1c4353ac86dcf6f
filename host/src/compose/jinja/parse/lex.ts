/** Cuts a template into tokens, as Jinja2 does without block trimming: text, tags and what stands in them. */
import { lexTag } from "./lex-tag.ts";
import type { TagReader, Token, TokenType } from "./token.ts";
import { TemplateError } from "../template-error.ts";

const RAW = /\{%[-+]?\s*raw\s*(?:-%\}\s*|%\})/y;
const COMMENT_END = /\+#\}|-#\}\s*|#\}/g;
const RAW_END = /\{%([-+]?)\s*endraw\s*(?:\+%\}|-%\}\s*|%\})/g;

/** Line ends become one newline, and one at the very end goes. */
const normalise = (text: string): string => text.replaceAll(/\r\n|\r/g, "\n").replace(/\n$/, "");

/** The position of the next tag's opening, or the end of the text. */
const nextTag = (text: string, from: number): number => {
  for (let at = text.indexOf("{", from); at >= 0; at = text.indexOf("{", at + 1)) {
    const next = text[at + 1];
    if (next === "{" || next === "%" || next === "#") return at;
  }
  return text.length;
};

const searchFrom = (pattern: RegExp, text: string, from: number): RegExpExecArray | null => {
  pattern.lastIndex = from;
  return pattern.exec(text);
};

class Lexer implements TagReader {
  readonly text: string;
  readonly tokens: Token[] = [];
  #line = 1;
  /** The first line end that is not counted yet; positions only grow. */
  #lineEnd: number;

  constructor(text: string) {
    this.text = text;
    this.#lineEnd = text.indexOf("\n");
  }

  lineAt(position: number): number {
    while (this.#lineEnd >= 0 && this.#lineEnd < position) {
      this.#line += 1;
      this.#lineEnd = this.text.indexOf("\n", this.#lineEnd + 1);
    }
    return this.#line;
  }

  push(type: TokenType, text: string, position: number): void {
    this.tokens.push({ type, text, line: this.lineAt(position) });
  }

  /** The text before a tag; `-` takes the white space at its end. */
  data(from: number, to: number, sign: string | undefined): void {
    const text = this.text.slice(from, to);
    const kept = sign === "-" ? text.trimEnd() : text;
    if (kept !== "") this.push("data", kept, from);
  }

  // Jinja2 takes a comment or raw text for an empty one if its opening tag is the last thing in the text.
  comment(start: number, inside: number): number {
    if (inside >= this.text.length) return inside;
    const end = searchFrom(COMMENT_END, this.text, inside);
    if (end === null) throw this.fault("Missing end of comment tag", start);
    return end.index + end[0].length;
  }

  raw(from: number): number {
    if (from >= this.text.length) return from;
    const end = searchFrom(RAW_END, this.text, from);
    if (end === null) throw this.fault("Missing end of raw directive", from);
    this.data(from, end.index, end[1]);
    return end.index + end[0].length;
  }

  fault(reason: string, position: number): TemplateError {
    return new TemplateError("syntax", reason, { line: this.lineAt(position), template: null });
  }

  run(): void {
    let at = 0;
    while (at < this.text.length) {
      const tag = nextTag(this.text, at);
      const sign = this.text[tag + 2];
      this.data(at, tag, sign);
      if (tag === this.text.length) break;
      at = this.tag(tag, tag + (sign === "-" || sign === "+" ? 3 : 2));
    }
    this.end();
  }

  /** On the line of what stands last, so that messages name the tag that is open and not the last line. */
  end(): void {
    this.tokens.push({ type: "end", text: "", line: this.tokens.at(-1)?.line ?? 1 });
  }

  /** One tag from its opening on; where the text goes on after it. */
  tag(start: number, inside: number): number {
    const mark = this.text[start + 1];
    if (mark === "#") return this.comment(start, inside);
    if (mark === "%") {
      RAW.lastIndex = start;
      const raw = RAW.exec(this.text);
      if (raw !== null) return this.raw(start + raw[0].length);
    }
    this.push(mark === "{" ? "print" : "block", this.text.slice(start, inside), start);
    return lexTag(this, inside, mark === "{" ? "print-end" : "block-end");
  }
}

/** The tokens up to the end or to what is none. */
export interface Lexed {
  readonly tokens: readonly Token[];
  /** Counts only when the parser comes to it: what is wrong before it is named first. */
  readonly fault: TemplateError | null;
}

export const lex = (text: string): Lexed => {
  const lexer = new Lexer(normalise(text));
  try {
    lexer.run();
    return { tokens: lexer.tokens, fault: null };
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    lexer.end();
    return { tokens: lexer.tokens, fault: error };
  }
};
