/** The arguments of a call, in brackets: positional ones, named ones, `*list` and `**dict`. */
import type { ArgNodes, Expr } from "./nodes.ts";
import type { ExpressionSource } from "./expression-source.ts";

export const parseArgs = (parser: ExpressionSource): ArgNodes => {
  const { stream } = parser;
  stream.expect("op", "(");
  const positional: Expr[] = [];
  const named: [string, Expr][] = [];
  let star: Expr | null = null;
  let starStar: Expr | null = null;
  const ensure = (allowed: boolean): void => {
    if (!allowed) throw stream.fault("invalid syntax for function call expression");
  };
  for (let first = true; !stream.is("op", ")"); first = false) {
    if (!first) {
      stream.expect("op", ",");
      if (stream.is("op", ")")) break;
    }
    if (stream.skip("op", "*")) {
      ensure(star === null && starStar === null);
      star = parser.expression();
    } else if (stream.skip("op", "**")) {
      ensure(starStar === null);
      starStar = parser.expression();
    } else if (stream.is("name") && stream.following.type === "op" && stream.following.text === "=") {
      ensure(starStar === null);
      const name = stream.next().text;
      stream.next();
      named.push([name, parser.expression()]);
    } else {
      ensure(star === null && starStar === null && named.length === 0);
      positional.push(parser.expression());
    }
  }
  stream.expect("op", ")");
  return { positional, named, star, starStar };
};
