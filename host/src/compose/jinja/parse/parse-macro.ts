/** The tags `macro` and `call`, which both make a body with parameters. */
import type { Expr, MacroParts } from "./nodes.ts";
import { parseTargetName } from "./parse-target.ts";
import type { StatementSource, TagParser } from "./tag-parser.ts";

interface Signature {
  readonly parameters: readonly string[];
  readonly defaults: readonly Expr[];
}

const parseSignature = (parser: StatementSource): Signature => {
  const { stream, expressions } = parser;
  const parameters: string[] = [];
  const defaults: Expr[] = [];
  stream.expect("op", "(");
  while (!stream.is("op", ")")) {
    if (parameters.length > 0) stream.expect("op", ",");
    const name = parseTargetName(stream);
    if (parameters.includes(name)) throw stream.fault(`duplicate argument '${name}' in function definition`);
    parameters.push(name);
    if (stream.skip("op", "=")) defaults.push(expressions.expression());
    else if (defaults.length > 0) throw stream.fault("non-default argument follows default argument");
  }
  stream.expect("op", ")");
  return { parameters, defaults };
};

const usedNames = (reads: ReadonlySet<string>): MacroParts["uses"] => ({
  caller: reads.has("caller"),
  kwargs: reads.has("kwargs"),
  varargs: reads.has("varargs"),
});

export const parseMacro: TagParser = (parser, line) => {
  const name = parseTargetName(parser.stream);
  const reads = new Set<string>();
  parser.expressions.reads.push(reads);
  const signature = parseSignature(parser);
  const body = parser.hard(() => parser.bodyTo("endmacro"));
  parser.expressions.reads.pop();
  return [{ kind: "macro", macro: { name, ...signature, body, uses: usedNames(reads) }, line }];
};

export const parseCall: TagParser = (parser, line) => {
  const { stream, expressions } = parser;
  const reads = new Set<string>();
  const signature = stream.is("op", "(") ? parseSignature(parser) : { parameters: [], defaults: [] };
  const call = expressions.expression();
  if (call.kind !== "call") throw stream.fault("expected call", line);
  expressions.reads.push(reads);
  const body = parser.hard(() => parser.bodyTo("endcall"));
  expressions.reads.pop();
  return [{ kind: "call-block", call, macro: { name: null, ...signature, body, uses: usedNames(reads) }, line }];
};
