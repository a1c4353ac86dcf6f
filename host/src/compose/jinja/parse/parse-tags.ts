/** One parser for each tag of Jinja2's core, from behind its name up to before the end of its last tag. */
import type { Body, Expr, Stmt, Target } from "./nodes.ts";
import { parseTuple } from "./parse-primary.ts";
import { parseFrom, parseImport, parseInclude } from "./parse-loads.ts";
import { parseCall, parseMacro } from "./parse-macro.ts";
import { parseTarget } from "./parse-target.ts";
import type { TagParser } from "./tag-parser.ts";

const parseIf: TagParser = (parser, line) => {
  const { stream, expressions } = parser;
  return parser.soft(() => {
    const branches: [Expr, Body][] = [];
    for (;;) {
      const test = parseTuple(expressions, { withCondition: false, endsAt: null, inBrackets: false });
      branches.push([test, parser.body(["elif", "else", "endif"])]);
      const tag = stream.next().text;
      if (tag === "elif") continue;
      return [{ kind: "if", branches, otherwise: tag === "else" ? parser.bodyTo("endif") : [], line }];
    }
  });
};

const names = (target: Target): readonly string[] =>
  target.kind === "unpack" ? target.items.flatMap(names) : [target.name];

const parseFor: TagParser = (parser, line) => {
  const { stream, expressions } = parser;
  const target = parseTarget(stream, false);
  if (names(target).includes("loop"))
    throw stream.fault("Can't assign to special loop variable in for-loop target", line);
  stream.expect("name", "in");
  const over = parseTuple(expressions, { withCondition: false, endsAt: "recursive", inBrackets: false });
  return parser.hard(() => {
    const filter = stream.skip("name", "if") ? expressions.expression() : null;
    const recursive = stream.skip("name", "recursive");
    const reads = new Set<string>();
    const blocks = parser.blocks.size;
    expressions.reads.push(reads);
    const body = parser.body(["endfor", "else"]);
    expressions.reads.pop();
    const scoped = [...parser.blocks.values()].slice(blocks).some((block) => block.scoped);
    const hasLoop = recursive || scoped || reads.has("loop");
    const otherwise = stream.next().text === "else" ? parser.bodyTo("endfor") : [];
    return [{ kind: "for", target, over, filter, recursive, hasLoop, body, otherwise, line }];
  });
};

const parseSet: TagParser = (parser, line) => {
  const { stream, expressions } = parser;
  const target = parseTarget(stream, true);
  if (stream.skip("op", "=")) {
    const value = parseTuple(expressions, { withCondition: true, endsAt: null, inBrackets: false });
    return [{ kind: "set", target, value, line }];
  }
  const filter = stream.is("op", "|") ? expressions.filter(null, true) : null;
  return [{ kind: "set-block", target, filter, body: parser.hard(() => parser.bodyTo("endset")), line }];
};

const parseWith: TagParser = (parser, line) => {
  const { stream, expressions } = parser;
  const targets: Target[] = [];
  const values: Expr[] = [];
  while (!stream.is("block-end")) {
    if (targets.length > 0) stream.expect("op", ",");
    targets.push(parseTarget(stream, false));
    stream.expect("op", "=");
    values.push(expressions.expression());
  }
  return [{ kind: "with", targets, values, body: parser.hard(() => parser.bodyTo("endwith")), line }];
};

const parseBlock: TagParser = (parser, line) => {
  const { stream } = parser;
  const name = stream.expect("name").text;
  const scoped = stream.skip("name", "scoped");
  const required = stream.skip("name", "required");
  if (stream.is("op", "-")) throw stream.fault("Block names may not contain hyphens, use an underscore instead.");
  parser.claimBlock(name, line);
  // What a block reads is none of the macro or loop around it.
  const reads = parser.expressions.reads.splice(0);
  const body = parser.hard(() => parser.bodyTo("endblock"));
  parser.expressions.reads.push(...reads);
  if (required && body.some((node) => node.kind !== "text" || node.text.trim() !== "")) {
    throw stream.fault("Required blocks can only contain comments or whitespace");
  }
  stream.skip("name", name);
  const block = { kind: "block", name, scoped, required, body, line } as const;
  parser.blocks.set(name, block);
  return [block];
};

const parseFilterBlock: TagParser = (parser, line) => {
  const filter = parser.expressions.filter(null, false);
  return [{ kind: "filter-block", filter, body: parser.hard(() => parser.bodyTo("endfilter")), line }];
};

const parsePrint: TagParser = (parser, line) => {
  const printed: Stmt[] = [];
  while (!parser.stream.is("block-end")) {
    if (printed.length > 0) parser.stream.expect("op", ",");
    printed.push({ kind: "print", value: parser.expressions.expression(), line });
  }
  return printed;
};

const parseExtends: TagParser = (parser, line) => [
  { kind: "extends", template: parser.expressions.expression(), line },
];

/** Nothing is escaped unasked, so that switching it off is a scope like any other. */
const parseAutoescape: TagParser = (parser, line) => {
  const on = parser.expressions.expression();
  if (on.kind !== "const" || on.value !== false) {
    throw parser.stream.fault("autoescape cannot be switched on here; use the filter escape where it is needed", line);
  }
  return [{ kind: "with", targets: [], values: [], body: parser.hard(() => parser.bodyTo("endautoescape")), line }];
};

export const TAGS: ReadonlyMap<string, TagParser> = new Map([
  ["if", parseIf],
  ["for", parseFor],
  ["set", parseSet],
  ["with", parseWith],
  ["block", parseBlock],
  ["extends", parseExtends],
  ["print", parsePrint],
  ["macro", parseMacro],
  ["call", parseCall],
  ["filter", parseFilterBlock],
  ["include", parseInclude],
  ["import", parseImport],
  ["from", parseFrom],
  ["autoescape", parseAutoescape],
]);
