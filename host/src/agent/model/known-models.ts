/** What is known of models by their ids: the window in tokens, and the prices at Anthropic's own endpoint. */
import type { ModelUsage } from "../../kernel/model.ts";
import { ANTHROPIC_URL, hostOf } from "./model-provider.ts";
import type { SelectedModel } from "./select-model.ts";

/** For models that nobody has told us of. A call that does not fit is told so by the provider. */
const COMMON_WINDOW = 128_000;

/** The first that fits. */
const WINDOWS: readonly (readonly [RegExp, number])[] = [
  [/claude-(?:fable|mythos|(?:opus|sonnet|haiku)-5|(?:opus-4-[678]|sonnet-4-6)(?!\d))/, 1_000_000],
  [/claude/, 200_000],
  [/gpt-4\.1/, 1_000_000],
  [/gpt-5/, 272_000],
  [/gpt-3\.5/, 16_000],
  [/(?:^|\/)o[134](?:-|$)/, 200_000],
  [/gemini/, 1_000_000],
];

export const windowOfModel = (id: string): number =>
  WINDOWS.find(([pattern]) => pattern.test(id))?.[1] ?? COMMON_WINDOW;

interface Price {
  readonly model: RegExp;
  /** US dollars for a million tokens. */
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
}

/** Ids end there or go on with a date. */
const priced = (id: string, input: number, output: number, cacheRead = input / 10): Price => ({
  model: new RegExp(`^claude-(?:${id})(?:-\\d{8}|-latest)?$`),
  input,
  output,
  cacheRead,
});

/** What writing to the cache for five minutes costs beside plain input. */
const CACHE_WRITE = 1.25;

/** A model whose price depends on more than its tokens is not here. */
const PRICES: readonly Price[] = [
  priced("fable-5-1", 10, 50, 0.25),
  priced("fable-5", 10, 50),
  priced("opus-5-5", 4, 20, 0.2),
  priced("opus-(?:4-[5678]|5)", 5, 25),
  priced("opus-4(?:-[01])?", 15, 75),
  priced("sonnet-5-5", 2, 10, 0.1),
  priced("sonnet-5", 2, 10),
  priced("sonnet-4(?:-[056])?", 3, 15),
  priced("haiku-4-5", 1, 5),
  priced("3-5-haiku", 0.8, 4),
];

/** US dollars; null: nobody knows, as at an endpoint that is not Anthropic's. */
export const costOfCall = ({ provider, id }: SelectedModel, usage: ModelUsage): number | null => {
  if (provider.wire !== "anthropic" || hostOf(provider) !== new URL(ANTHROPIC_URL).host) return null;
  const price = PRICES.find(({ model }) => model.test(id));
  if (price === undefined) return null;
  const plain = Math.max(0, usage.inputTokens - usage.cacheReadTokens - usage.cacheCreationTokens);
  const millionths =
    plain * price.input +
    usage.cacheReadTokens * price.cacheRead +
    usage.cacheCreationTokens * price.input * CACHE_WRITE +
    usage.outputTokens * price.output;
  return millionths / 1_000_000;
};
