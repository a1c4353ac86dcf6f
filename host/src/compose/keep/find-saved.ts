/** The saved config that an id means where either type may be meant. */
import { ComposeError } from "../compose-error.ts";
import type { ConfigType } from "../configs/config-types.ts";
import type { SavedConfig, SavedConfigs } from "../storage/saved-configs.ts";
import { configNotFound } from "./config-not-found.ts";

export interface FoundConfig {
  readonly type: ConfigType;
  readonly saved: SavedConfig;
}

/** `stated`: the type that the caller named, if it is one. ComposeError `config_not_found`, `modification_failed`. */
export const findSaved = async (configs: SavedConfigs, id: string, stated: unknown): Promise<FoundConfig> => {
  const [content, artifact] = [await configs.find("content", id), await configs.find("artifact", id)];
  if (content === null && artifact === null) throw await configNotFound(configs, id, null);
  if (content === null || artifact === null)
    return content === null ? { type: "artifact", saved: artifact! } : { type: "content", saved: content };
  if (stated === "content") return { type: "content", saved: content };
  if (stated === "artifact") return { type: "artifact", saved: artifact };
  throw new ComposeError("modification_failed", `A content and an artifact config are saved as "${id}".`, {
    config_id: id,
    paths: [content.path, artifact.path],
    next: 'Say which one is meant: add "type":"content" or "type":"artifact" to updates.',
  });
};
