/** The tokens of a template, one after the other, with the messages for what stands where it must not. */
import type { Lexed } from "./lex.ts";
import type { Token, TokenType } from "./token.ts";
import { TemplateError } from "../template-error.ts";

/** Nesting in the source; the stack holds several calls for each level. */
const MAX_NESTING = 150;

const NAMES: Readonly<Record<string, string>> = {
  data: "template data / text",
  print: "begin of print statement",
  "print-end": "end of print statement",
  block: "begin of statement block",
  "block-end": "end of statement block",
  end: "end of template",
};

const describe = (token: Token): string =>
  token.type === "name" || token.type === "op" ? token.text : (NAMES[token.type] ?? token.type);

export class TokenStream {
  readonly #tokens: readonly Token[];
  readonly #fault: TemplateError | null;
  #at = 0;
  #nesting = 0;

  constructor({ tokens, fault }: Lexed) {
    this.#tokens = tokens;
    this.#fault = fault;
    this.#checkFault();
  }

  #checkFault(): void {
    if (this.#fault !== null && this.#at === this.#tokens.length - 1) throw this.#fault;
  }

  get current(): Token {
    return this.#tokens[this.#at]!;
  }

  get following(): Token {
    return this.#tokens[this.#at + 1] ?? this.current;
  }

  next(): Token {
    const token = this.current;
    if (token.type !== "end") this.#at += 1;
    this.#checkFault();
    return token;
  }

  is(type: TokenType, ...texts: readonly string[]): boolean {
    const { current } = this;
    return current.type === type && (texts.length === 0 || texts.includes(current.text));
  }

  /** Takes the token if it is that one. */
  skip(type: TokenType, text: string): boolean {
    if (!this.is(type, text)) return false;
    this.next();
    return true;
  }

  expect(type: TokenType, text?: string): Token {
    if (text === undefined ? this.is(type) : this.is(type, text)) return this.next();
    const wanted = text ?? NAMES[type] ?? type;
    if (this.current.type === "end") throw this.fault(`unexpected end of template, expected '${wanted}'.`);
    throw this.fault(`expected token '${wanted}', got '${describe(this.current)}'`);
  }

  unexpected(): TemplateError {
    return this.fault(`unexpected '${describe(this.current)}'`);
  }

  fault(reason: string, line = this.current.line): TemplateError {
    return new TemplateError("syntax", reason, { line, template: null });
  }

  nested<T>(parse: () => T): T {
    this.#nesting += 1;
    if (this.#nesting > MAX_NESTING) throw this.fault(`it is nested more than ${MAX_NESTING} levels deep`);
    const parsed = parse();
    this.#nesting -= 1;
    return parsed;
  }
}
