/** The texts of an artifact's children merged, once for each format that its outputs have. It computes and does nothing else. */
import { ComposeError } from "../compose-error.ts";
import { joinPieces } from "../generators/generation.ts";
import type { PartTexts } from "./compose-text.ts";
import type { ArrayMerge } from "./deep-merge.ts";
import { leaveUnmergeable } from "./leave-unmergeable.ts";
import { mergeData } from "./merge-data.ts";
import { mergeMarkdown } from "./merge-markdown.ts";
import type { SkippedChild } from "./plan-assembly.ts";

export interface MergePart extends PartTexts {
  readonly required: boolean;
}

export interface PartsMerge {
  /** In order. */
  readonly parts: readonly MergePart[];
  /** Of the outputs. */
  readonly formats: readonly string[];
  readonly arrays: ArrayMerge;
  /** Of each text. */
  readonly maxBytes: number;
}

export interface MergedParts {
  /** In the order of the formats. */
  readonly texts: readonly string[];
  /** Which of the parts are in it. */
  readonly used: readonly number[];
  /** Optional ones that cannot be merged. */
  readonly skipped: readonly SkippedChild[];
}

/** ComposeError `assembly_failed`, `content_too_large`. */
export const mergeParts = async (merge: PartsMerge): Promise<MergedParts> => {
  const numbered = merge.parts.map((part, at) => ({ ...part, at }));
  const { parts, skipped } = await leaveUnmergeable(numbered, merge.formats);
  const made = new Map<string, string>();
  const texts: string[] = [];
  for (const format of merge.formats) {
    const text = made.get(format) ?? joinPieces(await mergeAs(format, parts, merge), merge.maxBytes);
    made.set(format, text);
    texts.push(text);
  }
  return { texts, used: parts.map(({ at }) => at), skipped };
};

const mergeAs = async (
  format: string,
  parts: readonly PartTexts[],
  { arrays, maxBytes }: PartsMerge,
): Promise<string[]> => {
  const texts = parts.flatMap(({ content_id, texts: own }) => own.map((each) => ({ content_id, ...each })));
  if (format === "markdown") return mergeMarkdown(texts.map(({ text }) => text));
  if (format === "json" || format === "yaml") return [await mergeData(texts, { format, arrays, maxBytes })];
  throw new ComposeError("assembly_failed", `Texts of the format ${format} cannot be merged.`, {
    format,
    next: "Use the format json, yaml or markdown, or set compositionStrategy to concat.",
  });
};
