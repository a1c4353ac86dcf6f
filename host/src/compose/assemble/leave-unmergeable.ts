/** The parts that a merge can use: an optional one whose text cannot be merged into every output is left out, with the reason. */
import { ComposeError } from "../compose-error.ts";
import type { PartTexts } from "./compose-text.ts";
import { readData } from "./merge-data.ts";
import type { SkippedChild } from "./plan-assembly.ts";
import { ValueBudget } from "./value-budget.ts";

export interface Mergeable<Part> {
  readonly parts: readonly Part[];
  readonly skipped: readonly SkippedChild[];
}

type OptionalPart = PartTexts & { readonly required: boolean };

/** `formats`: those of the outputs. A required one is not looked at here: the merge itself says why it fails. */
export const leaveUnmergeable = async <Part extends OptionalPart>(
  all: readonly Part[],
  formats: readonly string[],
): Promise<Mergeable<Part>> => {
  const data = new Set(formats.filter((format) => format === "json" || format === "yaml"));
  const [parts, skipped] = [[] as Part[], [] as SkippedChild[]];
  for (const part of all) {
    const reason = part.required ? null : await faultOf(part, data);
    if (reason === null) parts.push(part);
    else skipped.push({ content_id: part.content_id, reason });
  }
  return { parts, skipped };
};

/** Null: it can be merged. */
const faultOf = async (
  { content_id: id, texts }: PartTexts,
  formats: ReadonlySet<"json" | "yaml">,
): Promise<string | null> => {
  try {
    const budget = new ValueBudget();
    for (const format of formats) for (const each of texts) await readData({ content_id: id, ...each }, format, budget);
    return null;
  } catch (error) {
    if (error instanceof ComposeError) return error.message;
    throw error;
  }
};
