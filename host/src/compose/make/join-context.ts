/** The context that a text is made of: what the config has, what its sources bring, and over both what the caller gave. */
import { ComposeError } from "../compose-error.ts";
import type { ContentConfig, GenerationPattern } from "../configs/config-types.ts";
import { isNestedTooDeep, NESTED_TOO_DEEP } from "../configs/nesting.ts";
import { overlayContext, type Context } from "../configs/read-context.ts";
import { resolveReferences, resolveSources, type SourcePorts } from "../configs/resolve-sources.ts";

export interface ContextParts {
  readonly config: ContentConfig;
  /** The one that the generator takes. */
  readonly pattern: GenerationPattern | null;
  /** The caller's. */
  readonly given: Context;
}

export const joinContext = async ({ config, pattern, given }: ContextParts, ports: SourcePorts): Promise<Context> => {
  const own = (pattern?.generation_config?.["context"] ?? {}) as Context;
  const resolved = await resolveReferences(own, ports);
  const sources = await resolveSources(config.inputs?.sources ?? [], ports);
  const joined = overlayContext(overlayContext(resolved, sources), given);
  if (isNestedTooDeep(joined))
    throw new ComposeError("generation_failed", `The context of "${config.id}" cannot be used: ${NESTED_TOO_DEEP}.`);
  return joined;
};
