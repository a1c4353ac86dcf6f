/** The tree of a parsed template. */
import type { Value } from "../values/values.ts";

export interface ArgNodes {
  readonly positional: readonly Expr[];
  readonly named: readonly (readonly [string, Expr])[];
  readonly star: Expr | null;
  readonly starStar: Expr | null;
}

export type BinaryOp = "+" | "-" | "*" | "/" | "//" | "%" | "**";
export type CompareOp = "==" | "!=" | "<" | "<=" | ">" | ">=" | "in" | "not in";

export type Expr =
  | { readonly kind: "const"; readonly value: Value }
  | { readonly kind: "name"; readonly name: string }
  | { readonly kind: "tuple"; readonly items: readonly Expr[] }
  | { readonly kind: "list"; readonly items: readonly Expr[] }
  | { readonly kind: "dict"; readonly items: readonly (readonly [Expr, Expr])[] }
  | {
      readonly kind: "cond";
      readonly test: Expr;
      readonly yes: Expr;
      readonly no: Expr | null;
      readonly line: number;
    }
  | { readonly kind: "logic"; readonly op: "and" | "or"; readonly left: Expr; readonly right: Expr }
  | { readonly kind: "not"; readonly of: Expr }
  | { readonly kind: "sign"; readonly op: "+" | "-"; readonly of: Expr }
  | { readonly kind: "binary"; readonly op: BinaryOp; readonly left: Expr; readonly right: Expr }
  | { readonly kind: "concat"; readonly items: readonly Expr[] }
  | { readonly kind: "compare"; readonly first: Expr; readonly rest: readonly (readonly [CompareOp, Expr])[] }
  | { readonly kind: "call"; readonly of: Expr; readonly args: ArgNodes }
  | { readonly kind: "filter"; readonly of: Expr | null; readonly name: string; readonly args: ArgNodes }
  | { readonly kind: "test"; readonly of: Expr; readonly name: string; readonly args: ArgNodes }
  | { readonly kind: "attribute"; readonly of: Expr; readonly name: string }
  | { readonly kind: "item"; readonly of: Expr; readonly key: Expr }
  | { readonly kind: "slice"; readonly start: Expr | null; readonly stop: Expr | null; readonly step: Expr | null };

export type Target =
  | { readonly kind: "name"; readonly name: string }
  | { readonly kind: "member"; readonly namespace: string; readonly name: string }
  | { readonly kind: "unpack"; readonly items: readonly Target[] };

export interface MacroParts {
  readonly name: string | null;
  readonly parameters: readonly string[];
  /** For the last parameters. */
  readonly defaults: readonly Expr[];
  readonly body: Body;
  /** Which of the names that a macro may take without declaring them it uses. */
  readonly uses: { readonly caller: boolean; readonly kwargs: boolean; readonly varargs: boolean };
}

export type Body = readonly Stmt[];

export type Stmt = { readonly line: number } & (
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "print"; readonly value: Expr }
  | { readonly kind: "if"; readonly branches: readonly (readonly [Expr, Body])[]; readonly otherwise: Body }
  | ForNode
  | { readonly kind: "set"; readonly target: Target; readonly value: Expr }
  | { readonly kind: "set-block"; readonly target: Target; readonly filter: Expr | null; readonly body: Body }
  | {
      readonly kind: "with";
      readonly targets: readonly Target[];
      readonly values: readonly Expr[];
      readonly body: Body;
    }
  | { readonly kind: "filter-block"; readonly filter: Expr; readonly body: Body }
  | { readonly kind: "macro"; readonly macro: MacroParts & { readonly name: string } }
  | { readonly kind: "call-block"; readonly call: Expr & { kind: "call" }; readonly macro: MacroParts }
  | BlockNode
  | { readonly kind: "extends"; readonly template: Expr }
  | {
      readonly kind: "include";
      readonly template: Expr;
      readonly ignoreMissing: boolean;
      readonly withContext: boolean;
    }
  | { readonly kind: "import"; readonly template: Expr; readonly as: string; readonly withContext: boolean }
  | FromNode
);

export interface ForNode {
  readonly kind: "for";
  readonly target: Target;
  readonly over: Expr;
  readonly filter: Expr | null;
  readonly recursive: boolean;
  /** Whether the name `loop` is there for the body: also templates that it includes can see it. */
  readonly hasLoop: boolean;
  readonly body: Body;
  readonly otherwise: Body;
}

export interface BlockNode {
  readonly kind: "block";
  readonly name: string;
  readonly scoped: boolean;
  readonly required: boolean;
  readonly body: Body;
}

export interface FromNode {
  readonly kind: "from";
  readonly template: Expr;
  /** The exported name and the name it gets here. */
  readonly names: readonly (readonly [string, string])[];
  readonly withContext: boolean;
}

export interface Template {
  /** Null: the text that rendering began with. */
  readonly name: string | null;
  readonly body: Body;
  readonly blocks: ReadonlyMap<string, BlockNode>;
}
