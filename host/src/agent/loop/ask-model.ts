/**
 * One model call, tried again where that can help: only before anything of the answer has come, since what was told cannot
 * be taken back. Tries are one iteration.
 */
import { HostError } from "../../kernel/host-error.ts";
import { ModelError, type ModelRequest, type Models, type ModelToolCall } from "../../kernel/model.ts";
import type { Answer, AnswerEnd } from "./answer.ts";
import type { LoopClock } from "./loop-options.ts";
import { modelFailed, RETRIED, throwIfCancelled } from "./loop-refusals.ts";

export interface AskOptions {
  readonly models: Pick<Models, "call">;
  /** Made anew for every try. */
  readonly request: () => ModelRequest;
  readonly answer: Answer;
  /** Takes text as it comes. */
  readonly text: { add(delta: string): void; readonly current: string };
  readonly admit: (call: ModelToolCall) => ModelToolCall;
  /** False: nothing can be left out. */
  readonly shorten: () => boolean;
  readonly clock: LoopClock;
  readonly signal: AbortSignal;
}

const WAITS_MS = [1_000, 2_000, 4_000] as const;
const JITTER = 0.25;
const LONGEST_WAIT_MS = 30_000;

/** Throws a Refusal: `cancelled`, `model_failed`, `model_unconfigured`. */
export const askModel = async (options: AskOptions): Promise<AnswerEnd> => {
  const { answer, text, clock, signal } = options;
  let hasShortened = false;
  let waited = 0;
  for (let attempts = 1; ; attempts++) {
    try {
      return await measure(options);
    } catch (error) {
      throwIfCancelled(signal);
      if (!(error instanceof ModelError)) throw error;
      const isBegun = text.current !== "" || answer.calls.length > 0;
      if (!isBegun && error.kind === "overflow" && !hasShortened && options.shorten()) {
        hasShortened = true;
        continue;
      }
      const wait = isBegun ? null : waitAfter(error, waited++, clock);
      if (wait === null) throw modelFailed(error, { attempts, isBegun });
      await clock.sleep(wait, signal);
      throwIfCancelled(signal);
    }
  }
};

const measure = async (options: AskOptions): Promise<AnswerEnd> => {
  const { answer, clock } = options;
  const began = clock.now();
  try {
    return await stream(options);
  } finally {
    answer.llmMs += Math.max(0, clock.now() - began);
  }
};

const stream = async ({ models, request, answer, text, admit, signal }: AskOptions): Promise<AnswerEnd> => {
  answer.request = request();
  for await (const event of models.call(answer.request)) {
    // What comes after the cancellation is not told any more.
    throwIfCancelled(signal);
    if (event.type === "text") text.add(event.text);
    else if (event.type === "call") answer.calls.push(admit(event.call));
    else {
      answer.end = { finish: event.finish, usage: event.usage, model: event.model };
      return answer.end;
    }
  }
  throwIfCancelled(signal);
  throw new HostError("The answer of the model ended without its end.");
};

/** In ms; null: it is not tried again. */
const waitAfter = ({ kind, retryAfterMs }: ModelError, waited: number, clock: LoopClock): number | null => {
  const planned = WAITS_MS[waited];
  if (planned === undefined || !RETRIED.has(kind)) return null;
  if (retryAfterMs !== null) return retryAfterMs <= LONGEST_WAIT_MS ? retryAfterMs : null;
  return Math.round(planned * (1 + JITTER * clock.random()));
};
