/** What stands between the texts of an artifact. */
import type { ArtifactConfig } from "../configs/config-types.ts";

const DEFAULT_SEPARATOR = "\n\n";

export const separatorOf = ({ metadata }: ArtifactConfig): string =>
  metadata.compositionConfig?.separator ?? DEFAULT_SEPARATOR;
