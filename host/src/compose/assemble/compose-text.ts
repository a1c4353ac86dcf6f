/** One text of the texts of an artifact's children: joined or put into a template. Merging is `mergeParts`. */
import { ComposeError } from "../compose-error.ts";
import type { ArtifactConfig } from "../configs/config-types.ts";
import type { Context } from "../configs/read-context.ts";
import { joinPieces } from "../generators/generation.ts";
import { separatorOf } from "./separator-of.ts";

export interface PartTexts {
  readonly content_id: string;
  /** One, or with the strategy `all` each version's, oldest first. */
  readonly texts: readonly { readonly text: string; readonly format: string }[];
}

export interface Composition {
  readonly artifact: ArtifactConfig;
  /** In order. */
  readonly parts: readonly PartTexts[];
  readonly context: Context;
  readonly maxBytes: number;
  /** A sandboxed jinja2. */
  readonly render: (template: string, values: Readonly<Record<string, unknown>>) => string | Promise<string>;
}

/** ComposeError `assembly_failed` or `content_too_large`. */
export const composeText = async (composition: Composition): Promise<string> => {
  const { artifact, maxBytes } = composition;
  const pieces = artifact.metadata.compositionStrategy === "template" ? template : concat;
  return joinPieces(await pieces(composition), maxBytes);
};

const between = (texts: readonly string[], separator: string): string[] =>
  texts.flatMap((text, at) => (at === 0 ? [text] : [separator, text]));

const concat = (composition: Composition): string[] =>
  between(
    composition.parts.flatMap(({ texts }) => texts.map(({ text }) => text)),
    separatorOf(composition.artifact),
  );

const template = async (composition: Composition): Promise<string[]> => {
  const { artifact, parts, context, render, maxBytes } = composition;
  const text = artifact.metadata.compositionConfig?.template;
  if (text === undefined) throw new ComposeError("assembly_failed", `The artifact "${artifact.id}" has no template.`);
  const separator = separatorOf(composition.artifact);
  const components = new Map<string, string[]>();
  for (const { content_id: id, texts } of parts) {
    const known = components.get(id) ?? [];
    components.set(id, [...known, ...texts.map((each) => each.text)]);
  }
  const values = [...components].map(([id, texts]) => [id, joinPieces(between(texts, separator), maxBytes)] as const);
  const order = parts.map(({ content_id: id }) => id);
  return [await render(text, { components: Object.fromEntries(values), order, context, artifact })];
};
