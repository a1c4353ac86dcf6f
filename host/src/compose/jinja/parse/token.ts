/** The tokens of a template. */
import type { TemplateError } from "../template-error.ts";

export type TokenType =
  | "data"
  | "print"
  | "print-end"
  | "block"
  | "block-end"
  | "name"
  | "string"
  | "integer"
  | "float"
  | "op"
  | "end";

export interface Token {
  readonly type: TokenType;
  readonly text: string;
  readonly line: number;
}

/** What the reading of one tag needs of the reading of the whole text. */
export interface TagReader {
  readonly text: string;
  push(type: TokenType, text: string, position: number): void;
  fault(reason: string, position: number): TemplateError;
}
