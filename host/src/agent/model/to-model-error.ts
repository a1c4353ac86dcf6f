/**
 * What went wrong with a call, in words of our own. The SDK's errors hold the request and what the provider answered,
 * so none of them is passed on or kept as a cause; of the provider's text one line is, without the secrets that it may
 * repeat.
 */
import { ModelError } from "../../kernel/model.ts";
import { type ModelProvider, hostOf } from "./model-provider.ts";
import { isOverflow, readTold, type Told } from "./read-told.ts";

type Kind = ModelError["kind"];

/** Words of both wires for the kinds of failure, where no HTTP status says it. */
const KINDS: Readonly<Record<string, Kind>> = {
  authentication_error: "refused",
  permission_error: "refused",
  billing_error: "refused",
  invalid_api_key: "refused",
  insufficient_quota: "refused",
  rate_limit_error: "rate_limited",
  rate_limit_exceeded: "rate_limited",
  overloaded_error: "overloaded",
  api_error: "overloaded",
  timeout_error: "overloaded",
  server_error: "overloaded",
  request_too_large: "overflow",
  context_length_exceeded: "overflow",
  exceed_context_size_error: "overflow",
  invalid_request_error: "bad_request",
  not_found_error: "bad_request",
};

export const toModelError = (error: unknown, provider: ModelProvider): ModelError => {
  const told = readTold(error);
  if (told instanceof ModelError) return told;
  const kind = classify(told);
  return new ModelError(kind, describe(kind, told, provider), told.retryAfterMs);
};

const classify = (told: Told): Kind => {
  const { status } = told;
  const word = wordOf(told);
  if (status === 401 || status === 402 || status === 403 || word === "refused") return "refused";
  if (isOverflow(told) || word === "overflow" || status === 413) return "overflow";
  if (status === 429) return "rate_limited";
  if (status === 408) return "network";
  if (status !== null) return status >= 500 ? "overloaded" : "bad_request";
  return word ?? (told.isError ? "overloaded" : "network");
};

const wordOf = ({ code, type }: Told): Kind | undefined => {
  for (const word of [code, type]) if (word !== null && Object.hasOwn(KINDS, word)) return KINDS[word];
  return undefined;
};

const describe = (kind: Kind, told: Told, provider: ModelProvider): string => {
  const who = `The model provider "${provider.name}" at ${hostOf(provider)}`;
  // Providers repeat the key where they refuse it, so nothing of what they say is shown there.
  if (kind === "refused") return describeRefusal(who, told.status, provider);
  const how = [told.status, told.code ?? told.type].filter((part) => part !== null);
  const why = how.length === 0 ? "" : ` (${how.map((part) => clean(String(part), provider)).join(", ")})`;
  const said = told.text === null ? "." : `: ${endSentence(clean(told.text, provider))}`;
  switch (kind) {
    case "rate_limited":
      return `${who} takes no more calls for now${why}${said} Try again later.`;
    case "overloaded":
      return `${who} failed${why}${said} Try again later.`;
    case "overflow":
      return `The conversation is too long for the model${why}${said} Start a new conversation, or choose a model with a larger window.`;
    case "network":
      return told.isUnreadable
        ? `${who} sent what cannot be read, or ended in the middle${why}. Try again.`
        : `${who} could not be reached, or the connection was lost${why}. Check that it runs and that its address is right.`;
    default:
      return `${who} did not accept the request${why}${said} Check the name of the model and "baseURL".`;
  }
};

const describeRefusal = (who: string, status: number | null, { apiKey, keyPlace }: ModelProvider): string => {
  const why = status === null ? "" : ` (${status})`;
  return apiKey === null
    ? `${who} refused the call${why}, and no key is set: set "${keyPlace}" in bailiwick.json.`
    : `${who} refused the key in ${keyPlace}${why}: check that it is right, is allowed this model and has credit.`;
};

const endSentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);

const LONGEST = 300;

/** Secrets go first: cut later, a part of one could remain. */
const clean = (text: string, { apiKey, headers }: ModelProvider): string => {
  let left = text;
  for (const secret of [apiKey ?? "", ...Object.values(headers)]) {
    if (secret.length >= 4) left = left.replaceAll(secret, "[removed]");
  }
  const line = left.replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, " ").trim();
  return line.length > LONGEST ? `${line.slice(0, LONGEST).toWellFormed()}...` : line;
};
