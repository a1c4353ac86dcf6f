/** `template_fill`: a template with named blanks, filled from the context. */
import type { Context } from "../configs/read-context.ts";
import { generationFailed, type Generate } from "./generation.ts";
import { UNDEFINED_BEHAVIORS } from "./generator-inputs.ts";
import { fillPlaceholders, keepPlaceholder, lookInto, type Filling } from "./placeholders.ts";
import { TextTotal } from "./text-total.ts";

const MAX_NAMES = 100;
const ESCAPE = /\\[ntr'"\\]/g;
const ESCAPED: Readonly<Record<string, string>> = {
  "\\n": "\n",
  "\\t": "\t",
  "\\r": "\r",
  "\\'": "'",
  '\\"': '"',
  "\\\\": "\\",
};

const unescape = (text: string): string =>
  text.includes("\\") ? text.replace(ESCAPE, (found) => ESCAPED[found] ?? found) : text;

/** Those that have a value: one that is null is as one that is not there. */
const listNames = (context: Context): string => {
  const names = Object.keys(context)
    .filter((name) => (context[name] ?? null) !== null)
    .toSorted();
  const more = names.length > MAX_NAMES ? ", ..." : "";
  return names.length === 0 ? "none" : `${names.slice(0, MAX_NAMES).join(", ")}${more}`;
};

const missingAs = (behavior: unknown, context: Context): Filling["missing"] => {
  if (behavior === "keep") return keepPlaceholder;
  if (behavior === "empty") return () => "";
  if (behavior !== undefined && behavior !== "error")
    throw generationFailed(
      `Invalid undefined_behavior: ${JSON.stringify(behavior).slice(0, 100)}. Must be one of: ${UNDEFINED_BEHAVIORS.join(", ")}`,
    );
  return (name) => {
    throw generationFailed(`Undefined variable: '${name}'. Available variables: ${listNames(context)}`, {
      variable: name,
    });
  };
};

export const templateFill: Generate = ({ config, pattern, context, maxBytes }) => {
  const template = pattern?.template;
  if (template === undefined) throw generationFailed(`Config '${config.id}' has no template for template_fill`);
  const missing = missingAs(pattern?.generation_config?.["undefined_behavior"], context);
  const look = (name: string): unknown => lookInto(context, name);
  return fillPlaceholders(template, { look, missing, around: unescape, total: new TextTotal(maxBytes) });
};
