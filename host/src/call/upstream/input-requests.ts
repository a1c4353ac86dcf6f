/**
 * The questions of an `input_required` result and the object of their answers. Whatever a server puts there is hostile until
 * it is read here.
 */
import { ASK_METHODS, type Ask, type AskMethod } from "../../kernel/ask.ts";
import { rawJson, type RawJson } from "../../kernel/raw-json.ts";
import { memberOf, membersOf, sliceJson } from "../../kernel/scan-json.ts";
import { isAmbiguous } from "./is-ambiguous.ts";

const MAX_QUESTIONS = 64;
const NO_PARAMS = rawJson("{}");

export interface InputRequests {
  readonly asks: readonly Ask[];
  /** The server's own state, as it came. */
  readonly state: RawJson | null;
}

/** Null: it is not what the protocol describes. */
export const readInputRequests = (result: RawJson): InputRequests | null => {
  if (isAmbiguous(result)) return null;
  const state = memberOf(result, "requestState");
  const requests = memberOf(result, "inputRequests");
  if (state !== null && result[state.start] !== '"') return null;
  if (requests === null) return state === null ? null : { asks: [], state: sliceJson(result, state) };
  if (result[requests.start] !== "{") return null;
  const asks: Ask[] = [];
  for (const { key, start, end } of membersOf(result, requests.start)) {
    const ask = readAsk(rawJson(result.slice(start, end)), key);
    if (ask === null || asks.length === MAX_QUESTIONS) return null;
    asks.push(ask);
  }
  if (asks.length === 0 && state === null) return null;
  return { asks, state: state && sliceJson(result, state) };
};

const readAsk = (request: RawJson, key: string): Ask | null => {
  if (request[0] !== "{") return null;
  const method = memberOf(request, "method");
  const params = memberOf(request, "params");
  const name: unknown = method && JSON.parse(request.slice(method.start, method.end));
  if (typeof name !== "string" || !ASK_METHODS.has(name)) return null;
  if (params !== null && request[params.start] !== "{") return null;
  return { key, method: name as AskMethod, params: params ? sliceJson(request, params) : NO_PARAMS };
};

/** The object of questions as it goes to a caller. */
export const writeInputRequests = (asks: readonly Ask[]): RawJson =>
  rawJson(
    `{${asks.map(({ key, method, params }) => `${JSON.stringify(key)}:{"method":"${method}","params":${params}}`).join(",")}}`,
  );

export const writeInputResponses = (asks: readonly Ask[], answers: readonly RawJson[]): RawJson =>
  rawJson(`{${asks.map(({ key }, index) => `${JSON.stringify(key)}:${answers[index]}`).join(",")}}`);
