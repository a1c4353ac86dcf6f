/** Keeps a text that was made, as the latest version of its content. */
import { isApproved } from "../configs/is-approved.ts";
import { digestOf, type NewVersion, type StoredVersion } from "../storage/stored-version.ts";
import type { VersionStore } from "../storage/version-store.ts";
import type { Made } from "../workbench.ts";

const PLAIN = "text";

export interface Keeping {
  /** The id it was asked for by, which is also the name of its folder. */
  readonly id: string;
  readonly made: Made;
  readonly reason?: string;
}

export const formatOf = ({ prepared }: Made): string => prepared.order.config.metadata.output_format ?? PLAIN;

/** The generator could not make it, and gave what its config has for that. */
export const isFallback = ({ metadata }: Pick<Made, "metadata">): boolean => metadata["fallback"] === true;

export const storeMade = (versions: Pick<VersionStore, "add">, keeping: Keeping): Promise<StoredVersion> =>
  versions.add(versionOf(keeping));

const versionOf = ({ id, made, reason }: Keeping): NewVersion => {
  const { config_digest: digest, ...freshness } = made.prepared.freshness;
  const fallback = isFallback(made);
  return {
    content_id: id,
    text: made.text,
    format: formatOf(made),
    ...freshness,
    generator_version: made.version,
    // A stand-in for a model that did not answer is never reused: the next request asks the model again.
    config_digest: fallback ? digestOf([digest, "fallback"]) : digest,
    context_variables: made.prepared.contextVariables,
    approved: isApproved(made.prepared.order.config),
    ...(fallback ? { fallback } : {}),
    ...(reason === undefined ? {} : { reason }),
  };
};
