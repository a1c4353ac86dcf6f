/**
 * Which templates a template takes in by `include`, `extends`, `import` and `from`, as far as its text alone tells. Only these
 * tags are parsed, so that a large text costs little; one that stands where it does nothing (in `raw`, in a comment) counts too.
 */
import type { Expr } from "../jinja/parse/nodes.ts";
import { parseTemplate } from "../jinja/parse/parse-template.ts";
import { KNOWN_NAMES } from "../jinja/run/engine.ts";
import { TemplateError } from "../jinja/template-error.ts";

export interface IncludedNames {
  /** Each once, in order. */
  readonly names: readonly string[];
  /** There are more, whose names are known only when it runs. */
  readonly isOpen: boolean;
}

const TAG = /\{%[-+]?\s*(?:include|extends|import|from)\b/g;
const LONGEST_TAG = 2_000;
const MOST_TAGS = 1_000;

/** Null: only running it tells. */
const namesIn = (expr: Expr): readonly string[] | null => {
  if (expr.kind === "const") return typeof expr.value === "string" ? [expr.value] : null;
  if (expr.kind === "cond") return joinNames([expr.yes, ...(expr.no === null ? [] : [expr.no])]);
  return expr.kind === "list" || expr.kind === "tuple" ? joinNames(expr.items) : null;
};

const joinNames = (parts: readonly Expr[]): readonly string[] | null => {
  const found = parts.map(namesIn);
  return found.includes(null) ? null : found.flatMap((names) => names ?? []);
};

const namesOfTag = (tag: string): readonly string[] | null => {
  try {
    const [node] = parseTemplate({ name: null, text: tag }, KNOWN_NAMES).body;
    return node !== undefined && "template" in node ? namesIn(node.template) : null;
  } catch (error) {
    // The text as a whole is parsed when it is rendered, and its faults are told then.
    if (error instanceof TemplateError) return null;
    throw error;
  }
};

export const includedNames = (text: string): IncludedNames => {
  const tags = new Set<string>();
  for (const { index } of text.matchAll(TAG)) {
    const end = text.slice(index, index + LONGEST_TAG).indexOf("%}");
    if (end < 0 || tags.size >= MOST_TAGS) return { names: [], isOpen: true };
    tags.add(text.slice(index, index + end + 2));
  }
  const found = [...tags].map(namesOfTag);
  return { names: [...new Set(found.flatMap((names) => names ?? []))], isOpen: found.includes(null) };
};
