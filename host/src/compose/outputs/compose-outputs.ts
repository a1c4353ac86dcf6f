/** The texts of an artifact, one for each output: merging depends on the format, all else does not. */
import { composeText } from "../assemble/compose-text.ts";
import type { MergePart } from "../assemble/merge-parts.ts";
import type { SkippedChild } from "../assemble/plan-assembly.ts";
import { ComposeError } from "../compose-error.ts";
import type { ArtifactConfig } from "../configs/config-types.ts";
import type { Context } from "../configs/read-context.ts";
import { readIncluded } from "../run/read-included.ts";
import type { Workbench } from "../workbench.ts";

export interface CompositionOrder<Part extends MergePart> {
  readonly config: ArtifactConfig;
  readonly parts: readonly Part[];
  readonly context: Context;
  readonly signal: AbortSignal;
}

export interface Composed<Part> {
  /** In the order of the outputs. */
  readonly texts: readonly string[];
  /** Those that are in them. */
  readonly parts: readonly Part[];
  /** Optional ones that would have kept the rest from being merged. */
  readonly skipped: readonly SkippedChild[];
}

type Ports = Pick<Workbench, "limits" | "render" | "merge" | "rooted">;

/** ComposeError `assembly_failed`, `generation_failed`, `content_too_large`. */
export const composeOutputs = async <Part extends MergePart>(
  bench: Ports,
  order: CompositionOrder<Part>,
): Promise<Composed<Part>> => {
  const { config, parts, context, signal } = order;
  const { outputs, compositionStrategy, compositionConfig } = config.metadata;
  const maxBytes = bench.limits().max_content_size_bytes;
  if (compositionStrategy === "merge") {
    const formats = outputs.map(({ format }) => format);
    const arrays = compositionConfig?.arrays ?? "concat";
    const { texts, used, skipped } = await bench.merge({ parts, formats, arrays, maxBytes, signal });
    return { texts, parts: used.map((at) => parts[at]!), skipped };
  }
  const text = await composeText({
    artifact: config,
    parts,
    context,
    maxBytes,
    render: (template, values) => render(bench, template, { values, maxBytes, signal }),
  });
  return { texts: outputs.map(() => text), parts, skipped: [] };
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
