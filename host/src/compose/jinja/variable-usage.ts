/**
 * How often a template reads each variable that it does not make itself. Only the text itself is looked at, not what it includes.
 * Throws TemplateError where the text does not parse.
 */
import { KNOWN_NAMES } from "./run/engine.ts";
import type { ArgNodes, Body, Expr, MacroParts, Stmt, Target } from "./parse/nodes.ts";
import { parseTemplate } from "./parse/parse-template.ts";

/** What the language gives to every template. */
const GIVEN: readonly string[] = ["range", "dict", "namespace", "cycler", "joiner", "self", "super"];
const MACRO_NAMES: readonly string[] = ["caller", "kwargs", "varargs"];

/** The names that are made in a scope, and around it. */
class Made {
  readonly #names: Set<string>;
  readonly #around: Made | null;
  constructor(around: Made | null, names: readonly string[] = []) {
    this.#around = around;
    this.#names = new Set(names);
  }

  add(name: string): void {
    this.#names.add(name);
  }

  has(name: string): boolean {
    return this.#names.has(name) || (this.#around?.has(name) ?? false);
  }
}

const inArgs = (args: ArgNodes): (Expr | null)[] => [
  ...args.positional,
  ...args.named.map(([, value]) => value),
  args.star,
  args.starStar,
];

const partsOf = (expr: Expr): readonly (Expr | null)[] => {
  switch (expr.kind) {
    case "const":
    case "name":
      return [];
    case "tuple":
    case "list":
    case "concat":
      return expr.items;
    case "dict":
      return expr.items.flat();
    case "cond":
      return [expr.test, expr.yes, expr.no];
    case "logic":
    case "binary":
      return [expr.left, expr.right];
    case "not":
    case "sign":
    case "attribute":
      return [expr.of];
    case "compare":
      return [expr.first, ...expr.rest.map(([, operand]) => operand)];
    case "call":
    case "filter":
    case "test":
      return [expr.of, ...inArgs(expr.args)];
    case "item":
      return [expr.of, expr.key];
    default:
      return [expr.start, expr.stop, expr.step];
  }
};

class Usage {
  readonly counts = new Map<string, number>();

  expr(expr: Expr | null, made: Made): void {
    // Long chains of operators are deep, so that this keeps its own stack.
    const todo = [expr];
    for (let at = todo.pop(); at !== undefined; at = todo.pop()) {
      if (at === null) continue;
      if (at.kind === "name" && !made.has(at.name)) this.counts.set(at.name, (this.counts.get(at.name) ?? 0) + 1);
      for (const part of partsOf(at)) todo.push(part);
    }
  }

  target(target: Target, made: Made): void {
    if (target.kind === "name") made.add(target.name);
    else if (target.kind === "unpack") for (const item of target.items) this.target(item, made);
    else this.expr({ kind: "name", name: target.namespace }, made);
  }

  body(body: Body, made: Made): void {
    for (const node of body) this.statement(node, made);
  }

  macro(macro: MacroParts, made: Made): void {
    const inner = new Made(made, [...macro.parameters, ...MACRO_NAMES]);
    for (const value of macro.defaults) this.expr(value, inner);
    this.body(macro.body, inner);
  }

  statement(node: Stmt, made: Made): void {
    switch (node.kind) {
      case "text":
        return;
      case "print":
        return this.expr(node.value, made);
      case "set":
        this.expr(node.value, made);
        return this.target(node.target, made);
      case "macro":
        made.add(node.macro.name);
        return this.macro(node.macro, made);
      case "call-block":
        this.expr(node.call, made);
        return this.macro(node.macro, made);
      case "extends":
      case "include":
        return this.expr(node.template, made);
      case "import":
        this.expr(node.template, made);
        return made.add(node.as);
      case "from":
        this.expr(node.template, made);
        for (const [, name] of node.names) made.add(name);
        return;
      default:
        this.scoped(node, made);
    }
  }

  /** Statements with a body. A name that only one branch makes may be the caller's in the others. */
  scoped(
    node: Extract<Stmt, { kind: "if" | "for" | "set-block" | "with" | "filter-block" | "block" }>,
    made: Made,
  ): void {
    const inner = new Made(made);
    if (node.kind === "if") {
      for (const [test, body] of node.branches) {
        this.expr(test, made);
        this.body(body, new Made(made));
      }
      return this.body(node.otherwise, inner);
    }
    if (node.kind === "for") {
      this.expr(node.over, made);
      this.body(node.otherwise, new Made(made));
      this.target(node.target, inner);
      inner.add("loop");
      this.expr(node.filter, inner);
    }
    if (node.kind === "with") {
      for (const value of node.values) this.expr(value, made);
      for (const target of node.targets) this.target(target, inner);
    }
    if (node.kind === "filter-block" || node.kind === "set-block") this.expr(node.filter, made);
    this.body(node.body, inner);
    if (node.kind === "set-block") this.target(node.target, made);
  }
}

export const variableUsage = (text: string): Readonly<Record<string, number>> => {
  const usage = new Usage();
  usage.body(parseTemplate({ name: null, text }, KNOWN_NAMES).body, new Made(null, GIVEN));
  return Object.fromEntries(usage.counts);
};
