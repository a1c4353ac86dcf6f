/**
 * A model of the SDK, by the wire it speaks. The SDK's packages are loaded with the first call, so a host without chat
 * never has them; nothing of it but the one streamed call is used: no retries, no telemetry, and no tool that it could
 * run.
 */
import type { createAnthropic } from "@ai-sdk/anthropic";
import { type ModelProvider, hostOf } from "./model-provider.ts";
import { guardFetch, type Fetch } from "./guard-fetch.ts";
import type { SelectedModel } from "./select-model.ts";

export type SdkModel = ReturnType<ReturnType<typeof createAnthropic>["languageModel"]>;
export type SdkOptions = Parameters<SdkModel["doStream"]>[0];
export type SdkPart =
  Awaited<ReturnType<SdkModel["doStream"]>>["stream"] extends ReadableStream<infer Part> ? Part : never;

interface Opened {
  readonly id: string;
  readonly fetch: Fetch;
  readonly model: SdkModel;
}

/** The one of each provider that was used last: its schemas are compiled with its first call, which takes milliseconds. */
const lastOpened = new WeakMap<ModelProvider, Opened>();

export const openModel = async (selected: SelectedModel, fetch: Fetch): Promise<SdkModel> => {
  const { provider, id } = selected;
  const last = lastOpened.get(provider);
  if (last?.id === id && last.fetch === fetch) return last.model;
  const model = await makeModel(selected, fetch);
  lastOpened.set(provider, { id, fetch, model });
  return model;
};

const makeModel = async ({ provider, id }: SelectedModel, fetch: Fetch): Promise<SdkModel> => {
  const settings = { baseURL: provider.baseURL, headers: { ...provider.headers }, fetch: guardFetch(fetch) };
  if (provider.wire === "anthropic") {
    const { createAnthropic } = await import("@ai-sdk/anthropic");
    return createAnthropic({ ...settings, apiKey: provider.apiKey ?? "" }).languageModel(id);
  }
  const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
  return createOpenAICompatible({
    ...settings,
    name: "compatible",
    includeUsage: true,
    ...(provider.apiKey === null ? {} : { apiKey: provider.apiKey }),
    transformRequestBody: (body) => renameLimit(body, provider),
  }).chatModel(id);
};

/** OpenAI's own endpoint takes the limit of output tokens under its new name only, others under the old one only. */
const renameLimit = (body: Record<string, unknown>, provider: ModelProvider): Record<string, unknown> => {
  if (hostOf(provider) !== "api.openai.com") return body;
  const { max_tokens: limit, ...others } = body;
  return { ...others, max_completion_tokens: limit };
};
