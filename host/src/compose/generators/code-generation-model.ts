/** Which model writes the code: one of the provider that code is generated through, whoever named it. Pure. */
import type { Models } from "../../kernel/model.ts";
import type { CodeGenerationConfig } from "./code-generation-provider.ts";
import { generationFailed } from "./generation.ts";

export interface ModelChoice {
  readonly provider: string;
  readonly models: Pick<Models, "defaultModel">;
  readonly config: Pick<CodeGenerationConfig, "model">;
}

/** `asked`: as the config has it, with its provider or without; null: the host's default. Answers `provider:model`. */
export const codeModel = (asked: string | null, { provider, models, config }: ModelChoice): string => {
  const named = asked ?? models.defaultModel;
  const colon = named.indexOf(":");
  const owner = colon >= 0 ? named.slice(0, colon) : asked === null ? config.model.provider : provider;
  if (owner === provider) return colon >= 0 ? named : `${provider}:${named}`;
  throw generationFailed(
    asked === null
      ? `The default model is none of "${provider}", through which code is generated: name one in generation_config.model`
      : `generation_config.model names the provider "${owner}", and code is generated through "${provider}": name a model of ` +
          `that, or set compose.codeGeneration.provider in bailiwick.json`,
  );
};
