/** `content_missing`, told with what kept it from being generated, and with what is pinned to a version that is not there. */
import { ComposeError } from "../compose-error.ts";
import type { ArtifactConfig } from "../configs/config-types.ts";
import type { Cause } from "./make-missing.ts";

export interface MissingFacts {
  readonly config: Pick<ArtifactConfig, "content">;
  readonly missing: readonly string[];
  readonly failed: readonly Cause[];
}

export const missingFault = (fault: ComposeError, { config, missing, failed }: MissingFacts): ComposeError => {
  const causes = failed.filter(({ content_id: id }) => missing.includes(id));
  const pinned = config.content.children.filter(
    ({ id, retrievalStrategy }) => retrievalStrategy === "version" && missing.includes(id),
  );
  if (causes.length === 0 && pinned.length === 0) return fault;
  const next = nextOf({ causes, pinned: pinned.map(({ id }) => id), missing });
  const why = [
    ...causes.map(({ content_id: id, message }) => `"${id}" could not be generated: ${message}`),
    ...pinned.map(({ id, version = "" }) => `"${id}" has no version ${version}.`),
  ];
  return new ComposeError("content_missing", why.join(" "), {
    ...fault.details,
    suggestion: next,
    ...(causes.length === 0 ? {} : { causes }),
    ...(pinned.length === 0
      ? {}
      : { missing_versions: pinned.map(({ id, version }) => ({ content_id: id, version_id: version })) }),
    next,
  });
};

interface Ways {
  readonly causes: readonly Cause[];
  readonly pinned: readonly string[];
  readonly missing: readonly string[];
}

const nextOf = ({ causes, pinned, missing }: Ways): string => {
  const helped = new Map(causes.map(({ content_id: id, next }) => [id, next]));
  const calls = missing.map((id) => {
    if (pinned.includes(id))
      return `query_ephemeral_storage ${JSON.stringify({ content_id: id, strategy: "all" })} shows its versions`;
    return helped.get(id) ?? `generate_content ${JSON.stringify({ content_config_id: id })}`;
  });
  return [...new Set(calls)].join("; ");
};
