/**
 * From a server's last word to the ending of the call. What it said passes whole, but for two answers that a caller of the
 * modern era is told in its own way: that a person has to open a page first, and that something was missing to ask with.
 */
import type { Ask } from "../../kernel/ask.ts";
import type { Ending } from "../../kernel/call.ts";
import { dropHostMeta } from "../../kernel/drop-host-members.ts";
import type { ProviderAnswer } from "../../kernel/provider.ts";
import { Refusal } from "../../kernel/refusal.ts";
import { toEndpoint } from "../../kernel/rewrite-uris.ts";
import { rawJson, type RawJson } from "../../kernel/raw-json.ts";
import { itemsOf, memberOf, sliceJson } from "../../kernel/scan-json.ts";
import type { Opened } from "../../kernel/stages.ts";
import type { GovernedAsker } from "./governed-asker.ts";
import { inputEnding } from "./input-ending.ts";
import { writeInputRequests } from "./input-requests.ts";
import { missingCapabilities } from "./missing-capabilities.ts";

type Whole = Exclude<ProviderAnswer, { kind: "partial" }>;

const URL_ELICITATION_REQUIRED = -32042;

export const endCall = (call: Opened, answer: Whole, asker: GovernedAsker): Ending => {
  if (asker.no) return { kind: "refusal", refusal: asker.no, stage: 10, withheld: answer };
  refuseOtherEra(call, answer, asker);
  if (asker.returns) {
    const instead = answer.kind === "error" ? urlFirst(call, answer, asker) : null;
    if (instead !== null) return instead;
    const failed = answer.kind === "error" || answer.isError;
    if (failed && asker.lacking !== null) return missingCapabilities(asker.lacking, answer.json);
  }
  if (answer.kind === "error") return answer;
  const own = dropHostMeta(answer.json, answer.value);
  const { provider, target, operation } = call;
  const json = provider === null ? toEndpoint(own, target.provider.name, operation) : own;
  return { kind: "result", json, isError: answer.isError };
};

/**
 * Only modern servers have results that are not complete, and those were taken before: in what a legacy one says it is a
 * trick or a mistake, and a modern caller would take it for the host's word. The same goes for the legacy error that
 * sends a person to a page and names none.
 */
const refuseOtherEra = (call: Opened, answer: Whole, asker: GovernedAsker): void => {
  if (!asker.returns && call.operation !== "complete") return;
  const type = answer.kind === "result" ? answer.value["resultType"] : undefined;
  const odd = type !== undefined && type !== "complete";
  const lost =
    answer.kind === "error" && answer.code === URL_ELICITATION_REQUIRED && pagesOf(call, answer).length === 0;
  if (!odd && !lost) return;
  throw new Refusal("upstream_failed", {
    message: `${call.target.flatName} answered with ${odd ? "a result of a kind that its era does not have" : "the wish to open a page, and named none"}.`,
    next: "Report it to the author of the server.",
    details: { error: odd ? "unsupported_result_type" : "malformed" },
  });
};

const pagesOf = (call: Opened, { json }: Extract<Whole, { kind: "error" }>): readonly Ask[] =>
  call.operation === "complete" ? [] : elicitationsOf(json);

/** The pages that a legacy server wants a person to visit before the same call is made again. */
const urlFirst = (call: Opened, answer: Extract<Whole, { kind: "error" }>, asker: GovernedAsker): Ending | null => {
  if (answer.code !== URL_ELICITATION_REQUIRED) return null;
  const asks = elicitationsOf(answer.json);
  if (asks.length === 0) return null;
  for (const ask of asks) asker.notes(ask);
  if (asker.lacking !== null) return missingCapabilities(asker.lacking, answer.json);
  const result = rawJson(`{"resultType":"input_required","inputRequests":${writeInputRequests(asks)}}`);
  return inputEnding(call, { kind: "again", result, state: null });
};

const elicitationsOf = (error: RawJson): readonly Ask[] => {
  const data = memberOf(error, "data");
  const list = data && error[data.start] === "{" ? memberOf(error, "elicitations", data.start) : null;
  if (list === null || error[list.start] !== "[") return [];
  return itemsOf(error, list.start)
    .filter(({ start }) => error[start] === "{")
    .map((span, index) => ({ method: "elicitation/create", params: sliceJson(error, span), key: `e${index + 1}` }));
};
