/** The models that the configuration gives, behind one port. Nothing is retried, and no tool is run here. */
import { ModelError, type ModelEvent, type ModelRequest, type Models } from "../../kernel/model.ts";
import { Refusal } from "../../kernel/refusal.ts";
import type { Fetch } from "./guard-fetch.ts";
import { costOfCall, windowOfModel } from "./known-models.ts";
import { openModel } from "./open-model.ts";
import { readProviders, type Environment, type ModelConfig } from "./read-providers.ts";
import { readStream } from "./read-stream.ts";
import { selectModel, type SelectedModel } from "./select-model.ts";
import { toModelError } from "./to-model-error.ts";
import { writePrompt } from "./write-prompt.ts";

export interface ModelsOptions {
  readonly config: ModelConfig;
  readonly env: Environment;
  readonly fetch?: Fetch;
}

export const createModels = ({ config, env, fetch = globalThis.fetch }: ModelsOptions): Models => {
  const options = { providers: readProviders(config, env), defaultProvider: config.model.provider };
  const select = (model: string): SelectedModel => selectModel(model, options);
  return {
    defaultModel: config.defaultModel,
    unconfigured: (model) => findFault(model, select, config.defaultModel),
    windowOf: (model) => windowOfModel(select(model).id),
    costOf: (model, usage) => costOfCall(select(model), usage),
    call: (request) => callModel(request, select, fetch),
  };
};

/** A default that cannot be used is the configuration's fault, not that of who left the choice to it. */
const findFault = (model: string, select: (model: string) => SelectedModel, defaultModel: string): string | null => {
  try {
    return select(model).provider.fault;
  } catch (error) {
    if (model !== defaultModel || !(error instanceof Refusal)) throw error;
    return `${error.message} Correct "defaultModel" or "model.provider" in bailiwick.json.`;
  }
};

async function* callModel(
  request: ModelRequest,
  select: (model: string) => SelectedModel,
  fetch: Fetch,
): AsyncGenerator<ModelEvent, void, undefined> {
  const selected = select(request.model);
  const { provider } = selected;
  if (provider.fault !== null) throw new ModelError("unconfigured", provider.fault);
  request.signal.throwIfAborted();
  const options = writePrompt(request, provider.wire);
  const model = await openModel(selected, fetch);
  try {
    const { stream } = await model.doStream(options);
    yield* readStream(stream, request);
  } catch (error) {
    request.signal.throwIfAborted();
    throw toModelError(error, provider);
  }
}
