/** For tests: a stub and the models that reach it over both wires, gone with the test, and short ways to ask them. */
import { onTestFinished } from "vitest";
import type { ModelError, ModelEvent, ModelRequest, Models } from "../../kernel/model.ts";
import { createModels } from "./create-models.ts";
import { type ModelStub, startModelStub } from "./model-stub-for-tests.ts";
import type { ModelConfig } from "./read-providers.ts";

export const KEY = "sk-ant-0123456789-secret";
export const OTHER_KEY = "sk-local-9876543210-secret";

/** A model of each wire. */
export const ON_WIRES = [
  ["Anthropic's wire", "claude-sonnet-4-5-20250929"],
  ["the OpenAI-compatible wire", "local:some-model"],
] as const;

export const configOf = (config: Partial<ModelConfig>): ModelConfig => ({
  model: { provider: "anthropic" },
  providers: {},
  defaultModel: "claude-sonnet-4-5-20250929",
  ...config,
});

export const startModels = async (): Promise<{ readonly stub: ModelStub; readonly models: Models }> => {
  const stub = await startModelStub();
  onTestFinished(() => stub.close());
  const config = configOf({
    model: { provider: "anthropic", baseURL: stub.url },
    providers: { local: { type: "openai-compatible", apiKey: "${env:LOCAL}", baseURL: `${stub.url}/`, headers: {} } },
  });
  return { stub, models: createModels({ config, env: { ANTHROPIC_API_KEY: KEY, LOCAL: OTHER_KEY } }) };
};

export const requestFor = (model: string, others: Partial<ModelRequest> = {}): ModelRequest => ({
  model,
  stable: "You are a host.",
  varying: "",
  messages: [{ role: "user", text: "Hello" }],
  tools: [],
  maxOutputTokens: 100,
  signal: new AbortController().signal,
  ...others,
});

export const collect = async (events: AsyncIterable<ModelEvent>): Promise<ModelEvent[]> => {
  const all: ModelEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
};

/** What came before the failure, and the failure. */
export const fail = async (
  events: AsyncIterable<ModelEvent>,
): Promise<{ readonly before: readonly ModelEvent[]; readonly error: ModelError }> => {
  const before: ModelEvent[] = [];
  try {
    for await (const event of events) before.push(event);
  } catch (error) {
    return { before, error: error as ModelError };
  }
  throw new Error(`the call did not fail: ${JSON.stringify(before)}`);
};
