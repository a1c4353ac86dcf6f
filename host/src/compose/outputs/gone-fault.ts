/** `content_missing` for stored versions that were chosen and then could not be read as they were stored. */
import type { AssemblyPlan } from "../assemble/plan-assembly.ts";
import { ComposeError } from "../compose-error.ts";
import type { ArtifactConfig } from "../configs/config-types.ts";
import type { GoneVersion } from "./read-parts.ts";

export interface GoneFacts {
  readonly config: Pick<ArtifactConfig, "content">;
  readonly plan: Pick<AssemblyPlan, "parts">;
  readonly gone: readonly GoneVersion[];
}

export const goneFault = ({ config, plan, gone }: GoneFacts): ComposeError => {
  const missing = new Set(gone.map(({ content_id: id }) => id));
  const calls = [...missing].map((id) => remedyOf(id, { config, plan }));
  const suggestion = `Call assemble_artifact again; if it says the same, call ${calls.join("; ")} first.`;
  const told = gone.map(({ content_id: id, version_id: version }) => `${version} of "${id}"`);
  return new ComposeError("content_missing", `Gone, or not as it was stored: the version ${told.join(", ")}.`, {
    missing_content: [...missing],
    available_content: plan.parts.map(({ content_id: id }) => id).filter((id) => !missing.has(id)),
    total_required: config.content.children.filter(({ required = true }) => required).length,
    suggestion,
    missing_versions: gone,
    next: suggestion,
  });
};

/** What helps when it is not there the next time either. */
const remedyOf = (id: string, { config, plan }: Omit<GoneFacts, "gone">): string => {
  const isPinned = config.content.children.some((child) => child.id === id && child.retrievalStrategy === "version");
  if (isPinned) return `query_ephemeral_storage ${JSON.stringify({ content_id: id, strategy: "all" })}`;
  const isMany = plan.parts.some(({ content_id, versions }) => content_id === id && versions.length > 1);
  const generate = `generate_content ${JSON.stringify({ content_config_id: id, force: true })}`;
  return isMany ? `delete_content ${JSON.stringify({ content_id: id, force: true })} and ${generate}` : generate;
};
