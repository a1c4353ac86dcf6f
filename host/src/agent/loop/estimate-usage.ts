/** What an answer that was cut off may have used: nobody reported it, so characters are counted. */
import type { ModelUsage } from "../../kernel/model.ts";
import { countTokens, UNREPORTED } from "../model/count-tokens.ts";
import type { Answer } from "./answer.ts";

const NOTHING: ModelUsage = {
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheCreationTokens: 0,
  estimated: true,
};

export const estimateUsage = ({ request, calls }: Answer, text: string): ModelUsage => {
  if (request === null) return NOTHING;
  const written = calls.reduce((sum, { name, inputText }) => sum + name.length + inputText.length, text.length);
  return countTokens(UNREPORTED, request, written);
};
