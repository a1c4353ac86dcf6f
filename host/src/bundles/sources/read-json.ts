/** One question to a registry: its answer as a JSON object, or null where it says that it has no such thing. */
import { isObject } from "../shapes.ts";
import type { NetworkRules } from "../legs/network-guard.ts";
import { readBody } from "../legs/read-body.ts";
import { openUrl } from "./open-url.ts";
import type { SourceLimits } from "./sources-options.ts";

export interface ReadJsonOptions {
  readonly rules: NetworkRules;
  readonly limits: SourceLimits;
  readonly signal: AbortSignal;
}

/** Rejects with an Error for people that does not name the URL's path. */
export const readJson = async (url: URL, options: ReadJsonOptions): Promise<Record<string, unknown> | null> => {
  const { rules, limits } = options;
  const tooLate = AbortSignal.timeout(limits.answerMs);
  const signal = AbortSignal.any([options.signal, tooLate]);
  try {
    const { status, body, close } = await openUrl(url, {
      rules,
      signal,
      accept: "application/json",
      // The signal is to end it, and to be the one that tells why.
      idleMs: 2 * limits.answerMs,
    });
    try {
      if (status === 404) return null;
      if (status !== 200) throw new Error(`it answered with HTTP status ${status}`);
      return parse(await readBody(body, limits.maxAnswerBytes));
    } finally {
      await close();
    }
  } catch (error) {
    options.signal.throwIfAborted();
    if (tooLate.aborted) throw new Error(`it did not answer within ${limits.answerMs} ms`, { cause: error });
    throw error;
  }
};

const parse = (text: string): Record<string, unknown> => {
  let value: unknown = null;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Error("its answer is not JSON");
  }
  if (!isObject(value)) throw new Error("its answer is not a JSON object");
  return value;
};
