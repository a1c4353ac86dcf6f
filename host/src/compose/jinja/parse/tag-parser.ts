/** What the parsers of the single tags see of the whole, and what they are. */
import type { BlockNode, Body, Stmt } from "./nodes.ts";
import type { ExpressionParser } from "./parse-expression.ts";
import type { TokenStream } from "./token-stream.ts";

export interface StatementSource {
  readonly stream: TokenStream;
  readonly expressions: ExpressionParser;
  readonly blocks: Map<string, BlockNode>;
  claimBlock(name: string, line: number): void;
  /** Up to one of the tags that end it, which stays; the rest of the opening tag comes first. */
  body(endTags: readonly string[]): Body;
  /** As body, and takes the only tag that can end it. */
  bodyTo(endTag: string): Body;
  /** A scope of its own, in which an unknown filter is an error at once. */
  hard<T>(parse: () => T): T;
  soft<T>(parse: () => T): T;
}

export type TagParser = (parser: StatementSource, line: number) => readonly Stmt[];
