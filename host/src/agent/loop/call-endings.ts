/** How a call ends that the loop does not hand on, and how calls are written down. */
import type { StoredCall } from "../../kernel/conversation.ts";
import type { ModelToolCall } from "../../kernel/model.ts";
import { rawJson } from "../../kernel/raw-json.ts";
import type { RefusalKind } from "../../kernel/refusals.ts";
import { neutraliseTags } from "../prompt/neutralise-tags.ts";
import { cutText, oneLine } from "../prompt/one-line.ts";
import { MOST_LEVELS } from "./admit-call.ts";
import type { ToolEnding } from "./loop-options.ts";
import type { RunBudget } from "./run-budget.ts";

/** Of one answer. */
export const MOST_CALLS = 128;

const MOST_INPUT_TEXT = 2_000;

/** Text of the host: of others there is only the name in it, as the model wrote it. */
const refused = (code: RefusalKind, text: string, others: Partial<ToolEnding> = {}): ToolEnding => ({
  ok: false,
  outcome: "denied",
  code,
  text: neutraliseTags(`${code}: ${text}`),
  output: `${code}: ${text}`,
  resultJson: rawJson(JSON.stringify({ content: [{ type: "text", text }], isError: true })),
  evidenceId: null,
  content: text,
  bearing: "error",
  ...others,
});

export const withdrawnEnding = (why: string): ToolEnding =>
  refused("unavailable", why, { outcome: "skipped", bearing: "passing" });

/** Says nothing of the tool, so it does not count against it. */
export const tooManyEnding = (): ToolEnding =>
  refused(
    "too_large",
    `Not run: one answer may ask for at most ${MOST_CALLS} calls. Look at the results of those that ran, then ask for the others.`,
    { bearing: "passing" },
  );

export const cutEnding = (name: string): ToolEnding =>
  refused(
    "invalid_input",
    `${oneLine(name)} was not run: its arguments were cut by the limit of output tokens. Call it again with shorter arguments, or do it in several calls.`,
  );

export const noObjectEnding = (name: string): ToolEnding =>
  refused(
    "invalid_input",
    `${oneLine(name)} was not run: its arguments are no JSON object, or one of more than ${MOST_LEVELS} levels. Call it again with one JSON object as its schema says.`,
  );

/** After a bug of ours; what it says stays inside. */
export const brokenEnding = (name: string): ToolEnding =>
  refused(
    "indeterminate",
    `${oneLine(name)} was begun, and nobody knows how it ended. Check its effect before it is called again.`,
    { outcome: "indeterminate" },
  );

export interface NamedCall {
  readonly call: ModelToolCall;
  /** In full. */
  readonly name: string;
}

export const storedCall = ({ call, name }: NamedCall, ending: ToolEnding, ms: number): StoredCall => ({
  ...head(call, name),
  output: ending.output,
  ok: ending.ok,
  ms,
  outcome: ending.outcome,
  ...(ending.code === null ? {} : { code: ending.code }),
  ...(ending.evidenceId === null ? {} : { evidenceId: ending.evidenceId }),
});

/** Nothing was begun, because the run ended. */
export const notBegun = ({ call, name }: NamedCall): StoredCall => ({
  ...head(call, name),
  output: "Not run: the run ended before this call. Send another message to go on.",
  ok: false,
  ms: 0,
  outcome: null,
});

export const droppedCall = (
  { call, name }: NamedCall,
  dropped: NonNullable<StoredCall["dropped"]>,
  { maxIterations, maxInputTokens }: RunBudget,
): StoredCall => ({
  ...head(call, name),
  output:
    dropped === "token_budget"
      ? `Not run: the run used more than its ${maxInputTokens} input tokens (maxInputTokens), so nobody could read the result. Send another message to go on.`
      : `Not run: this was the last of ${maxIterations} model calls (maxIterations), so nobody could read the result. Send another message to go on.`,
  ok: false,
  ms: 0,
  outcome: null,
  dropped,
});

/** What is no object is kept as the model wrote it. */
const head = ({ id, input, inputText }: ModelToolCall, name: string) => ({
  id,
  name,
  input: input ?? cutText(inputText, MOST_INPUT_TEXT),
});
