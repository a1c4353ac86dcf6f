/** Expressions, with Jinja2's precedence: `**` binds to the left, `~` stronger than `+`, a filter stronger than a sign. */
import type { ArgNodes, BinaryOp, CompareOp, Expr } from "./nodes.ts";
import type { ExpressionSource } from "./expression-source.ts";
import { parseArgs } from "./parse-args.ts";
import { parsePrimary } from "./parse-primary.ts";
import type { TemplateError } from "../template-error.ts";
import type { TokenStream } from "./token-stream.ts";

export interface KnownNames {
  readonly filters: ReadonlySet<string>;
  readonly tests: ReadonlySet<string>;
}

const NO_ARGS: ArgNodes = { positional: [], named: [], star: null, starStar: null };
const COMPARISONS = ["==", "!=", "<", "<=", ">", ">="] as const;
const OPENS_ARGUMENT = ["(", "[", "{"] as const;

export class ExpressionParser implements ExpressionSource {
  readonly stream: TokenStream;
  readonly #known: KnownNames;
  /** Inside an if: an unknown filter there fails only when it is reached, so that a template can ask for it first. */
  soft = false;
  /** Filters and tests that do not exist, each with the error for it if it is not inside a condition. */
  readonly unknown: TemplateError[] = [];
  readonly reads: Set<string>[] = [];

  constructor(stream: TokenStream, known: KnownNames) {
    this.stream = stream;
    this.#known = known;
  }

  expression(withCondition = true): Expr {
    return this.stream.nested(() => (withCondition ? this.#condition() : this.#or()));
  }

  #condition(): Expr {
    const unknown = this.unknown.length;
    const { line } = this.stream.current;
    let expr = this.#or();
    while (this.stream.skip("name", "if")) {
      this.unknown.length = unknown;
      const wasSoft = this.soft;
      this.soft = true;
      const test = this.#or();
      const otherwise = this.stream.skip("name", "else") ? this.stream.nested(() => this.#condition()) : null;
      this.soft = wasSoft;
      expr = { kind: "cond", test, yes: expr, no: otherwise, line };
    }
    return expr;
  }

  #or(): Expr {
    let left = this.#and();
    while (this.stream.skip("name", "or")) left = { kind: "logic", op: "or", left, right: this.#and() };
    return left;
  }

  #and(): Expr {
    let left = this.#not();
    while (this.stream.skip("name", "and")) left = { kind: "logic", op: "and", left, right: this.#not() };
    return left;
  }

  #not(): Expr {
    if (this.stream.is("name", "not")) {
      this.stream.next();
      return { kind: "not", of: this.stream.nested(() => this.#not()) };
    }
    return this.#compare();
  }

  #comparison(): CompareOp | null {
    const { stream } = this;
    if (stream.is("op", ...COMPARISONS)) return stream.next().text as CompareOp;
    if (stream.skip("name", "in")) return "in";
    if (stream.is("name", "not") && stream.following.type === "name" && stream.following.text === "in") {
      stream.next();
      stream.next();
      return "not in";
    }
    return null;
  }

  #compare(): Expr {
    const first = this.#sum();
    const rest: [CompareOp, Expr][] = [];
    for (let op = this.#comparison(); op !== null; op = this.#comparison()) rest.push([op, this.#sum()]);
    return rest.length === 0 ? first : { kind: "compare", first, rest };
  }

  #binary(ops: readonly BinaryOp[], operand: () => Expr): Expr {
    let left = operand();
    while (this.stream.is("op", ...ops)) {
      const op = this.stream.next().text as BinaryOp;
      left = { kind: "binary", op, left, right: operand() };
    }
    return left;
  }

  #sum(): Expr {
    return this.#binary(["+", "-"], () => this.#concat());
  }

  #concat(): Expr {
    const items = [this.#product()];
    while (this.stream.skip("op", "~")) items.push(this.#product());
    return items.length === 1 ? items[0]! : { kind: "concat", items };
  }

  #product(): Expr {
    return this.#binary(["*", "/", "//", "%"], () => this.#binary(["**"], () => this.#unary(true)));
  }

  #unary(withFilter: boolean): Expr {
    const { stream } = this;
    let expr: Expr;
    if (stream.is("op", "-", "+")) {
      const op = stream.next().text as "-" | "+";
      expr = { kind: "sign", op, of: stream.nested(() => this.#unary(false)) };
    } else expr = parsePrimary(this);
    expr = this.postfix(expr);
    return withFilter ? this.#filters(expr) : expr;
  }

  /** Look-ups and calls behind an expression. */
  postfix(of: Expr): Expr {
    let expr = of;
    for (;;) {
      if (this.stream.skip("op", ".")) expr = this.#dotted(expr);
      else if (this.stream.skip("op", "[")) expr = this.#subscript(expr);
      else if (this.stream.is("op", "(")) expr = { kind: "call", of: expr, args: parseArgs(this) };
      else return expr;
    }
  }

  #dotted(of: Expr): Expr {
    const token = this.stream.next();
    if (token.type === "name") return { kind: "attribute", of, name: token.text };
    if (token.type !== "integer") throw this.stream.fault("expected name or number", token.line);
    return { kind: "item", of, key: { kind: "const", value: BigInt(token.text.replaceAll("_", "")) } };
  }

  #subscript(of: Expr): Expr {
    const keys: Expr[] = [];
    while (!this.stream.is("op", "]")) {
      if (keys.length > 0) this.stream.expect("op", ",");
      keys.push(this.#subscribed());
    }
    this.stream.expect("op", "]");
    return { kind: "item", of, key: keys.length === 1 ? keys[0]! : { kind: "tuple", items: keys } };
  }

  #subscribed(): Expr {
    const { stream } = this;
    const start = stream.is("op", ":") ? null : this.expression();
    if (start !== null && !stream.is("op", ":")) return start;
    stream.expect("op", ":");
    const stop = stream.is("op", ":", "]", ",") ? null : this.expression();
    const step = stream.skip("op", ":") && !stream.is("op", "]", ",") ? this.expression() : null;
    return { kind: "slice", start, stop, step };
  }

  #filters(of: Expr): Expr {
    let expr = of;
    for (;;) {
      if (this.stream.is("op", "|")) expr = this.filter(expr, true);
      else if (this.stream.is("name", "is")) expr = this.#test(expr);
      else if (this.stream.is("op", "(")) expr = { kind: "call", of: expr, args: parseArgs(this) };
      else return expr;
    }
  }

  /** A chain of filters; `of` null: of the text of a block. */
  filter(of: Expr | null, withBar: boolean): Expr {
    let expr = withBar ? of : this.#oneFilter(of);
    while (this.stream.skip("op", "|")) expr = this.#oneFilter(expr);
    if (expr === null) throw this.stream.unexpected();
    return expr;
  }

  #oneFilter(of: Expr | null): Expr {
    const { line } = this.stream.current;
    const name = this.#name();
    const args = this.stream.is("op", "(") ? parseArgs(this) : NO_ARGS;
    if (!this.#known.filters.has(name)) this.#missing(`No filter named '${name}'.`, line);
    return { kind: "filter", of, name, args };
  }

  #missing(reason: string, line: number): void {
    if (!this.soft) this.unknown.push(this.stream.fault(reason, line));
  }

  /** The name of a filter or a test, which may have dots. */
  #name(): string {
    let name = this.stream.expect("name").text;
    while (this.stream.skip("op", ".")) name += `.${this.stream.expect("name").text}`;
    return name;
  }

  #test(of: Expr): Expr {
    const { stream } = this;
    const { line } = stream.next();
    const negated = stream.skip("name", "not");
    const name = this.#name();
    const args = stream.is("op", "(") ? parseArgs(this) : this.#bareArgument();
    if (!this.#known.tests.has(name)) this.#missing(`No test named '${name}'.`, line);
    const test: Expr = { kind: "test", of, name, args };
    return negated ? { kind: "not", of: test } : test;
  }

  /** A test takes one argument without brackets: `is divisibleby 3`. */
  #bareArgument(): ArgNodes {
    const { stream } = this;
    const literal = stream.is("string") || stream.is("integer") || stream.is("float");
    const named = stream.is("name") && !stream.is("name", "else", "or", "and");
    if (!literal && !named && !stream.is("op", ...OPENS_ARGUMENT)) return NO_ARGS;
    if (stream.is("name", "is")) throw stream.fault("You cannot chain multiple tests with is");
    return { ...NO_ARGS, positional: [this.postfix(parsePrimary(this))] };
  }
}
