/** Which provider and which of its models `provider:model`, or a bare id, means. Pure. */
import { Refusal } from "../../kernel/refusal.ts";
import type { ModelProvider } from "./model-provider.ts";

export interface SelectedModel {
  readonly provider: ModelProvider;
  /** As the provider's API knows it. */
  readonly id: string;
}

export interface SelectOptions {
  readonly providers: ReadonlyMap<string, ModelProvider>;
  readonly defaultProvider: string;
}

const LONGEST = 256;

/** The first colon separates; a model whose own name holds one is written with its provider. */
export const selectModel = (model: string, { providers, defaultProvider }: SelectOptions): SelectedModel => {
  const colon = model.indexOf(":");
  const name = colon === -1 ? defaultProvider : model.slice(0, colon);
  const id = model.slice(colon + 1);
  if (id.trim() === "" || model.length > LONGEST) {
    throw new Refusal("bad_request", {
      message: `"${show(model)}" names no model.`,
      next: "Write provider:model, or the id of a model of the default provider.",
    });
  }
  const provider = providers.get(name);
  if (provider !== undefined) return { provider, id };
  const configured = [...providers.keys()].toSorted();
  throw new Refusal("bad_request", {
    message: `There is no model provider "${show(name)}". Configured: ${configured.map(show).join(", ")}.`,
    next:
      colon === -1
        ? 'Set "model.provider" in bailiwick.json to one of them, or add it to "providers".'
        : `Begin the model with one of them and a colon, such as ${show(`${configured[0]}:${model}`)}.`,
    details: { providers: configured },
  });
};

const show = (text: string): string => text.replace(/\p{Cc}/gu, " ").slice(0, 128);
