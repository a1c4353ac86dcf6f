/** The models that the configuration gives, made anew when it is another. */
import type { Config } from "@bailiwick/contract";
import { createModels } from "../agent/model/create-models.ts";
import type { Models } from "../kernel/model.ts";

export interface ModelsFrom {
  /** As it is now. */
  readonly config: () => Config;
  readonly env: NodeJS.ProcessEnv;
}

export const openModels = ({ config, env }: ModelsFrom): (() => Models) => {
  let last: { readonly config: Config; readonly models: Models } | null = null;
  return () => {
    const now = config();
    if (last?.config !== now) last = { config: now, models: createModels({ config: now, env }) };
    return last.models;
  };
};
