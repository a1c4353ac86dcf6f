/** Usage as the provider reported it, or an estimate at four characters a token where it reported none. Pure. */
import type { ModelMessage, ModelRequest, ModelUsage } from "../../kernel/model.ts";

const CHARACTERS = 4;

export interface ReportedUsage {
  readonly inputTokens: {
    readonly total: number | undefined;
    readonly cacheRead: number | undefined;
    readonly cacheWrite: number | undefined;
  };
  readonly outputTokens: { readonly total: number | undefined };
}

/** Of an answer that was cut off. */
export const UNREPORTED: ReportedUsage = {
  inputTokens: { total: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: undefined },
};

/** `written`: characters that the model wrote. */
export const countTokens = (reported: ReportedUsage, request: ModelRequest, written: number): ModelUsage => {
  const input = whole(reported.inputTokens.total);
  const output = whole(reported.outputTokens.total);
  // No call is without input, so a zero is the absence of a report.
  if (input === 0 || (output === 0 && written > 0)) {
    return {
      inputTokens: input > 0 ? input : Math.ceil(charactersOf(request) / CHARACTERS),
      outputTokens: output > 0 ? output : Math.ceil(written / CHARACTERS),
      cacheReadTokens: 0,
      cacheCreationTokens: 0,
      estimated: true,
    };
  }
  return {
    inputTokens: input,
    outputTokens: output,
    cacheReadTokens: Math.min(input, whole(reported.inputTokens.cacheRead)),
    cacheCreationTokens: Math.min(input, whole(reported.inputTokens.cacheWrite)),
    estimated: false,
  };
};

/** Budgets are counted with it, so nothing but a count that can be added gets through. */
const whole = (count: number | undefined): number =>
  count !== undefined && Number.isFinite(count) && count > 0 ? Math.min(Math.ceil(count), 1_000_000_000) : 0;

const charactersOf = ({ stable, varying, messages, tools }: ModelRequest): number => {
  let count = stable.length + varying.length;
  for (const message of messages) count += charactersIn(message);
  for (const { name, description, inputSchema } of tools) {
    count += name.length + description.length + JSON.stringify(inputSchema).length;
  }
  return count;
};

const charactersIn = (message: ModelMessage): number => {
  if (message.role === "user") return message.text.length;
  if (message.role === "tool") return message.results.reduce((sum, { text }) => sum + text.length, 0);
  return message.calls.reduce((sum, { name, inputText }) => sum + name.length + inputText.length, message.text.length);
};
