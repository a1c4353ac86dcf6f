/** The texts of an artifact, one for each output: merging depends on the format, all else does not. */
import { composeText, type PartTexts } from "../assemble/compose-text.ts";
import { ComposeError } from "../compose-error.ts";
import type { ArtifactConfig } from "../configs/config-types.ts";
import type { Context } from "../configs/read-context.ts";
import { readIncluded } from "../run/read-included.ts";
import type { Workbench } from "../workbench.ts";

export interface CompositionOrder {
  readonly config: ArtifactConfig;
  readonly parts: readonly PartTexts[];
  readonly context: Context;
  readonly signal: AbortSignal;
}

type Ports = Pick<Workbench, "limits" | "render" | "rooted">;

/** In the order of the outputs. ComposeError `assembly_failed`, `generation_failed`, `content_too_large`. */
export const composeOutputs = async (bench: Ports, order: CompositionOrder): Promise<readonly string[]> => {
  const { config, parts, context, signal } = order;
  const isMerged = config.metadata.compositionStrategy === "merge";
  const maxBytes = bench.limits().max_content_size_bytes;
  const made = new Map<string, string>();
  const texts: string[] = [];
  for (const { format } of config.metadata.outputs) {
    const key = isMerged ? format : "";
    const text =
      made.get(key) ??
      (await composeText({
        artifact: config,
        format,
        parts,
        context,
        maxBytes,
        render: (template, values) => render(bench, template, { values, maxBytes, signal }),
      }));
    made.set(key, text);
    texts.push(text);
  }
  return texts;
};

interface Rendering {
  readonly values: Context;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

const render = async (
  { render: renderJinja, rooted }: Ports,
  template: string,
  { values, maxBytes, signal }: Rendering,
): Promise<string> => {
  const text = isInline(template) ? template : await rooted.template(template);
  if (text === null) throw new ComposeError("assembly_failed", `Template not found: ${template}`, { template });
  const load = (name: string): Promise<string | null> => readIncluded(name, rooted);
  return renderJinja({ text, context: values, load, maxBytes, signal });
};

/** As a template of a content is told from a file's name. */
const isInline = (template: string): boolean => /\{\{|\{%|\{#|\s/u.test(template);
