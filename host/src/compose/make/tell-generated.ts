/** What the tools that store a text answer about it. */
import type { StoredVersion } from "../storage/stored-version.ts";
import type { Prepared } from "../workbench.ts";

export interface Generated {
  readonly status: "generated" | "skipped" | "regenerated";
  readonly text: string;
  readonly version: StoredVersion;
  readonly prepared: Prepared;
  /** What the generator said beside the text. */
  readonly said: Readonly<Record<string, unknown>>;
}

export const tellGenerated = ({ status, text, version, prepared, said }: Generated): Record<string, unknown> => {
  const own = {
    ephemeral_stored: true,
    version_id: version.version_id,
    context_variables: version.context_variables,
    context_digest: version.context_digest,
    generator_version: version.generator_version,
    selection_rule: prepared.rule,
    ...(status === "skipped" ? { reason: "already_exists", from_cache: true } : {}),
  };
  return {
    content_id: version.content_id,
    content: text,
    generator: version.generator,
    status,
    // What a generator says never stands for what is known here.
    metadata: { ...own, ...said, ...own },
  };
};
