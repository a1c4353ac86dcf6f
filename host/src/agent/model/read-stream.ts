/**
 * Turns the parts of the SDK's stream into our events: text as it comes, then the calls, then `done`. A model that does not
 * keep to the limit of output tokens is cut where no tokenizer would let it come.
 */
import type { FinishReason, ModelEvent, ModelRequest } from "../../kernel/model.ts";
import { countTokens, UNREPORTED } from "./count-tokens.ts";
import { GatheredCalls } from "./gather-calls.ts";
import type { SdkPart } from "./open-model.ts";

/** In characters; about four is usual. */
const LONGEST_TOKEN = 16;
/** Some endpoints know no limit; that much harms nobody. */
const LEAST_READ = 65_536;

/** The stream ended and nothing said that the answer is whole. */
class CutStream extends Error {
  override readonly name = "CutStream";
}

export async function* readStream(
  stream: AsyncIterable<SdkPart>,
  request: ModelRequest,
): AsyncGenerator<ModelEvent, void, undefined> {
  const calls = new GatheredCalls();
  const most = Math.max(LEAST_READ, request.maxOutputTokens * LONGEST_TOKEN);
  let [written, read] = [0, 0];
  for await (const part of stream) {
    if ("delta" in part) read += part.delta.length;
    if (read > most) {
      yield* cut(calls, request, written);
      return;
    }
    switch (part.type) {
      case "text-delta":
        written += part.delta.length;
        if (part.delta !== "") yield { type: "text", text: part.delta };
        break;
      case "reasoning-delta":
        written += part.delta.length;
        break;
      case "tool-input-start":
        calls.start(part.id, part.toolName);
        break;
      case "tool-input-delta":
        calls.add(part.id, part.delta);
        break;
      case "tool-call":
        calls.end(part.toolCallId, part.toolName, part.input);
        break;
      case "error":
        throw part.error;
      case "finish": {
        const made = calls.finish(part.finishReason.unified === "length");
        for (const call of made) {
          written += call.name.length + call.inputText.length;
          yield { type: "call", call };
        }
        const finish = finishOf(part.finishReason.unified, made.length > 0);
        yield { type: "done", finish, usage: countTokens(part.usage, request, written), model: request.model };
        return;
      }
      default:
    }
  }
  throw new CutStream();
}

/** Nobody reports what it used; which of its calls are whole is known. */
const cut = function* (calls: GatheredCalls, request: ModelRequest, before: number): Generator<ModelEvent, void> {
  let written = before;
  for (const call of calls.finish(true)) {
    written += call.name.length + call.inputText.length;
    yield { type: "call", call };
  }
  yield { type: "done", finish: "length", usage: countTokens(UNREPORTED, request, written), model: request.model };
};

/** Some providers say `stop` beside calls. */
const finishOf = (told: string, hasCalls: boolean): FinishReason => {
  if (told === "length" || told === "content-filter") return told;
  if (hasCalls) return "tool-calls";
  return told === "stop" ? "stop" : "other";
};
