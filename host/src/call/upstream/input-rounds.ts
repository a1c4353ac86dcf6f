/**
 * A server of the modern era that wants answers first: handed on to a caller that comes back with them, or asked of a
 * caller that waits.
 */
import type { Ask } from "../../kernel/ask.ts";
import type { Ending } from "../../kernel/call.ts";
import { dropHostMeta } from "../../kernel/drop-host-members.ts";
import type { CallInput, ProviderAnswer } from "../../kernel/provider.ts";
import { rawJson, type RawJson } from "../../kernel/raw-json.ts";
import { Refusal } from "../../kernel/refusal.ts";
import type { Opened } from "../../kernel/stages.ts";
import type { GovernedAsker } from "./governed-asker.ts";
import { inputEnding } from "./input-ending.ts";
import { readInputRequests, writeInputResponses, type InputRequests } from "./input-requests.ts";
import { missingCapabilities } from "./missing-capabilities.ts";
import { setRootsAside } from "./root-answers.ts";

type Partial = Extract<ProviderAnswer, { kind: "partial" }>;

/** The ending for a caller that returns, else the questions. */
export const wantInput = (call: Opened, answer: Partial, asker: GovernedAsker): Ending | InputRequests => {
  if (answer.resultType !== "input_required") throw unknownType(call, answer.resultType);
  const wanted = readInputRequests(answer.json);
  if (wanted === null) throw unreadable(call);
  const own = wanted.asks.filter((ask) => asker.hostRoots(ask) !== null);
  const others = wanted.asks.filter((ask) => !own.includes(ask));
  for (const ask of others) asker.notes(ask);
  if (asker.lacking !== null) {
    if (asker.returns) return missingCapabilities(asker.lacking, rawJson("null"));
    throw undeclared(call, asker.lacking);
  }
  if (!asker.returns || (others.length === 0 && own.length > 0)) return wanted;
  const result = dropHostMeta(answer.json, answer.value);
  return inputEnding(call, { kind: "relay", ...setRootsAside({ result, state: wanted.state }, own) });
};

/** Asks all of it at once; what the server is sent next. */
export const answerInput = async (
  call: Opened,
  { asks, state }: InputRequests,
  asker: GovernedAsker,
): Promise<CallInput> => {
  const round = new AbortController();
  const signal = AbortSignal.any([call.signal, round.signal]);
  try {
    const answers = await Promise.all(asks.map((ask) => answerOne(call, ask, { asker, signal })));
    if (asker.no) throw asker.no;
    return { responses: asks.length === 0 ? null : writeInputResponses(asks, answers), state };
  } finally {
    // One that could not be answered ends the call, and with it the questions beside it.
    round.abort();
  }
};

interface Asking {
  readonly asker: GovernedAsker;
  readonly signal: AbortSignal;
}

const answerOne = async (call: Opened, ask: Ask, { asker, signal }: Asking): Promise<RawJson> => {
  const answer = await asker.ask(ask, signal);
  if (answer.kind === "result") return answer.json;
  if (ask.method === "elicitation/create") return rawJson('{"action":"cancel"}');
  throw new Refusal("cancelled", {
    message: `${call.target.flatName} asked for ${ask.method} and the caller answered with an error: ${answer.message.slice(0, 500)}`,
    next: "Repeat the call when the client can answer.",
    details: { error: "ask_failed", code: answer.code },
  });
};

const unknownType = ({ target }: Opened, type: string): Refusal =>
  new Refusal("upstream_failed", {
    message: `${target.flatName} answered with a result of the kind ${JSON.stringify(type.slice(0, 100))}, which the caller did not declare.`,
    next: "Report it to the author of the server, or use a client that knows this kind.",
    details: { error: "unsupported_result_type" },
  });

const unreadable = ({ target }: Opened): Refusal =>
  new Refusal("upstream_failed", {
    message: `${target.flatName} wants answers, and its questions are not what the protocol describes.`,
    next: "Report it to the author of the server.",
    details: { error: "malformed" },
  });

const undeclared = ({ target }: Opened, needed: Readonly<Record<string, unknown>>): Refusal =>
  new Refusal("upstream_failed", {
    message: `${target.flatName} needs a caller that can answer ${Object.keys(needed).join(", ")}; this one cannot.`,
    next: "Call it from a client that declares this capability.",
    details: { error: "capability_not_declared", required_capabilities: needed },
  });
