/** A template's text as a tree: text, prints and tags. What the tags hold is in parse-tags. */
import { lex } from "./lex.ts";
import type { BlockNode, Body, Stmt, Template } from "./nodes.ts";
import { ExpressionParser, type KnownNames } from "./parse-expression.ts";
import { parseTuple } from "./parse-primary.ts";
import type { StatementSource } from "./tag-parser.ts";
import { TAGS } from "./parse-tags.ts";
import { TemplateError } from "../template-error.ts";
import { TokenStream } from "./token-stream.ts";

class TemplateParser implements StatementSource {
  readonly stream: TokenStream;
  readonly expressions: ExpressionParser;
  readonly blocks = new Map<string, BlockNode>();
  readonly #claimed = new Set<string>();
  /** The first block whose name is taken: an error, unless the text does not even parse. */
  duplicate: TemplateError | null = null;
  /** The tags that are open, for the message about one that fits none. */
  readonly #open: string[] = [];

  constructor(text: string, known: KnownNames) {
    this.stream = new TokenStream(lex(text));
    this.expressions = new ExpressionParser(this.stream, known);
  }

  claimBlock(name: string, line: number): void {
    if (this.#claimed.has(name)) this.duplicate ??= this.stream.fault(`block '${name}' defined twice`, line);
    this.#claimed.add(name);
  }

  body(endTags: readonly string[]): Body {
    this.stream.skip("op", ":");
    this.stream.expect("block-end");
    const body = this.stream.nested(() => this.parse(endTags));
    if (this.stream.is("end")) {
      throw this.stream.fault(`Unexpected end of template. Jinja was looking for: ${endTags.join(" or ")}.`);
    }
    return body;
  }

  bodyTo(endTag: string): Body {
    const body = this.body([endTag]);
    this.stream.next();
    return body;
  }

  hard<T>(parse: () => T): T {
    return this.#withSoft(false, parse);
  }

  soft<T>(parse: () => T): T {
    return this.#withSoft(true, parse);
  }

  #withSoft<T>(soft: boolean, parse: () => T): T {
    const before = this.expressions.soft;
    this.expressions.soft = soft;
    const parsed = parse();
    this.expressions.soft = before;
    return parsed;
  }

  parse(endTags: readonly string[]): Body {
    const { stream } = this;
    const body: Stmt[] = [];
    for (;;) {
      const { line } = stream.current;
      if (stream.is("end")) return body;
      if (stream.is("data")) body.push({ kind: "text", text: stream.next().text, line });
      else if (stream.is("print")) {
        stream.next();
        const value = parseTuple(this.expressions, { withCondition: true, endsAt: null, inBrackets: false });
        stream.expect("print-end");
        body.push({ kind: "print", value, line });
      } else {
        stream.next();
        if (endTags.length > 0 && stream.is("name", ...endTags)) return body;
        for (const statement of this.#statement()) body.push(statement);
        stream.expect("block-end");
      }
    }
  }

  #statement(): readonly Stmt[] {
    const { stream } = this;
    if (!stream.is("name")) throw stream.fault("tag name expected");
    const { text: name, line } = stream.current;
    const parseTag = TAGS.get(name);
    if (parseTag === undefined) throw this.#unknownTag(name);
    stream.next();
    this.#open.push(name);
    const parsed = parseTag(this, line);
    this.#open.pop();
    return parsed;
  }

  #unknownTag(name: string): TemplateError {
    const open = this.#open.at(-1);
    const hint = open === undefined ? "" : ` The innermost block that needs to be closed is '${open}'.`;
    return this.stream.fault(`Encountered unknown tag '${name}'.${hint}`);
  }
}

export interface TemplateSource {
  readonly name: string | null;
  readonly text: string;
}

export const parseTemplate = (source: TemplateSource, known: KnownNames): Template => {
  try {
    const parser = new TemplateParser(source.text, known);
    const body = parser.parse([]);
    const fault = parser.duplicate ?? parser.expressions.unknown[0];
    if (fault !== undefined) throw fault;
    return { name: source.name, body, blocks: parser.blocks };
  } catch (error) {
    if (!(error instanceof TemplateError) || error.place === null) throw error;
    throw new TemplateError(error.fault, error.reason, { line: error.place.line, template: source.name });
  }
};
