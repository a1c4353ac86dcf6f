/** URI templates as resource families show them: which parameters one has, and whether a URI fits one. Linear time. */
import { matchesGlob } from "../../kernel/glob.ts";

const EXPRESSION = /\{[^{}]*\}/g;

/** Names of all parameters, without operators and modifiers. */
export const templateParameters = (template: string): readonly string[] =>
  (template.match(EXPRESSION) ?? []).flatMap((expression) =>
    expression
      .slice(1, -1)
      .replace(/^[+#./;?&]/, "")
      .split(",")
      .map((name) => name.replace(/(?:\*|:\d+)$/, ""))
      .filter((name) => name !== ""),
  );

/** Expressions that may stand for a `/`. */
const OPEN = /\{[+#/?&;.]/;

/** A plain parameter is one segment and not empty. Where the template's own text has a `*`, it is any text too. */
export const templateMatches = (template: string, uri: string): boolean => {
  if (!template.includes("{")) return template === uri;
  const glob = template.replace(EXPRESSION, "*");
  if (OPEN.test(template)) return matchesGlob(glob, uri);
  const wanted = glob.split("/");
  const given = uri.split("/");
  return wanted.length === given.length && wanted.every((part, at) => fits(part, given[at] ?? ""));
};

const fits = (part: string, given: string): boolean => part === given || (given !== "" && matchesGlob(part, given));
