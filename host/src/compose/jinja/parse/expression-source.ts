/** What the parts of the expression parser see of the whole. */
import type { Expr } from "./nodes.ts";
import type { TokenStream } from "./token-stream.ts";

export interface ExpressionSource {
  readonly stream: TokenStream;
  /** Names that are read, one set for each macro or loop that is being parsed. */
  readonly reads: Set<string>[];
  expression(withCondition?: boolean): Expr;
}
