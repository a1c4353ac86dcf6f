/** Where several servers share an endpoint, the text of an elicitation begins with the name of the one that asks. */
import type { Ask } from "../../kernel/ask.ts";
import { rawJson, type RawJson } from "../../kernel/raw-json.ts";
import { memberOf, membersOf } from "../../kernel/scan-json.ts";

const ELICITATION = "elicitation/create";

export const nameAsker = (ask: Ask, provider: string): Ask =>
  ask.method === ELICITATION ? { ...ask, params: nameIn(ask.params, 0, provider) } : ask;

/** The same for all questions of an `input_required` result; nothing else of it changes. */
export const nameQuestions = (result: RawJson, provider: string): RawJson => {
  const requests = memberOf(result, "inputRequests");
  if (requests === null) return result;
  let named = result;
  for (const { start } of membersOf(result, requests.start).toReversed()) {
    const method = memberOf(result, "method", start);
    const params = memberOf(result, "params", start);
    const isElicitation = method !== null && JSON.parse(result.slice(method.start, method.end)) === ELICITATION;
    if (isElicitation && params !== null) named = nameIn(named, params.start, provider);
  }
  return named;
};

/** Puts the name before the `message` of the object at `at`. */
const nameIn = (text: RawJson, at: number, provider: string): RawJson => {
  const member = memberOf(text, "message", at);
  const message: unknown = member && JSON.parse(text.slice(member.start, member.end));
  if (member === null || typeof message !== "string") return text;
  const named = JSON.stringify(`${provider}: ${message}`);
  return rawJson(`${text.slice(0, member.start)}${named}${text.slice(member.end)}`);
};
