/** Names, literals and what stands in brackets. */
import type { Expr } from "./nodes.ts";
import type { ExpressionSource } from "./expression-source.ts";
import type { Value } from "../values/values.ts";

export const CONSTANTS: ReadonlyMap<string, Value> = new Map<string, Value>([
  ["true", true],
  ["True", true],
  ["false", false],
  ["False", false],
  ["none", null],
  ["None", null],
]);

/** So that a literal is not the work of a whole rendering. */
const MAX_DIGITS = 4300;

export interface TupleOptions {
  readonly withCondition: boolean;
  /** A name that ends the list, such as `recursive`. */
  readonly endsAt: string | null;
  readonly inBrackets: boolean;
}

/** One expression, or several with commas, which are a tuple. */
export const parseTuple = (parser: ExpressionSource, options: TupleOptions): Expr => {
  const { stream } = parser;
  const items: Expr[] = [];
  let isTuple = false;
  for (;;) {
    if (items.length > 0) stream.expect("op", ",");
    const ended = stream.is("print-end") || stream.is("block-end") || stream.is("op", ")");
    if (ended || (options.endsAt !== null && stream.is("name", options.endsAt))) break;
    items.push(parser.expression(options.withCondition));
    if (!stream.is("op", ",")) break;
    isTuple = true;
  }
  if (isTuple || (items.length === 0 && options.inBrackets)) return { kind: "tuple", items };
  if (items.length === 0) throw stream.fault(`Expected an expression, got '${stream.current.text}'`);
  return items[0]!;
};

const parseList = (parser: ExpressionSource): Expr => {
  const { stream } = parser;
  const items: Expr[] = [];
  while (!stream.is("op", "]")) {
    if (items.length > 0) stream.expect("op", ",");
    if (stream.is("op", "]")) break;
    items.push(parser.expression());
  }
  stream.expect("op", "]");
  return { kind: "list", items };
};

const parseDict = (parser: ExpressionSource): Expr => {
  const { stream } = parser;
  const items: [Expr, Expr][] = [];
  while (!stream.is("op", "}")) {
    if (items.length > 0) stream.expect("op", ",");
    if (stream.is("op", "}")) break;
    const key = parser.expression();
    stream.expect("op", ":");
    items.push([key, parser.expression()]);
  }
  stream.expect("op", "}");
  return { kind: "dict", items };
};

const parseName = (parser: ExpressionSource): Expr => {
  const name = parser.stream.next().text;
  const value = CONSTANTS.get(name);
  if (value !== undefined) return { kind: "const", value };
  for (const reads of parser.reads) reads.add(name);
  return { kind: "name", name };
};

const parseNumber = (parser: ExpressionSource): Expr => {
  const { type, text } = parser.stream.next();
  if (text.length > MAX_DIGITS) throw parser.stream.fault(`a number has more than ${MAX_DIGITS} digits`);
  const digits = text.replaceAll("_", "");
  return { kind: "const", value: type === "float" ? Number(digits) : BigInt(digits) };
};

export const parsePrimary = (parser: ExpressionSource): Expr => {
  const { stream } = parser;
  if (stream.is("name")) return parseName(parser);
  if (stream.is("integer") || stream.is("float")) return parseNumber(parser);
  if (stream.is("string")) {
    let value = "";
    while (stream.is("string")) value += stream.next().text;
    return { kind: "const", value };
  }
  if (stream.skip("op", "(")) {
    const expr = parseTuple(parser, { withCondition: true, endsAt: null, inBrackets: true });
    stream.expect("op", ")");
    return expr;
  }
  if (stream.skip("op", "[")) return parseList(parser);
  if (stream.skip("op", "{")) return parseDict(parser);
  throw stream.unexpected();
};
