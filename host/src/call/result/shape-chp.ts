/**
 * The answer as CHP's InvocationResult: our members sorted, what the tool said as the text that came. Only what was recorded
 * has this form; a door says itself what never reached the call path.
 */
import type { Answer, CallRecord, Ending } from "../../kernel/call.ts";
import type { Correlation, Outcome } from "../../kernel/evidence.ts";
import { HostError } from "../../kernel/host-error.ts";
import { jcs } from "../../kernel/jcs.ts";
import { rawJson, type RawJson } from "../../kernel/raw-json.ts";
import type { Refusal } from "../../kernel/refusal.ts";
import { MemberWalk } from "../../kernel/scan-json.ts";
import { hasRemedy } from "./refusal-object.ts";

const MAX_MESSAGE = 2000;

export const toChp = (answer: Answer): RawJson => {
  const { record, ending, replayed } = answer;
  if (record === undefined) throw new HostError("a call that was not recorded has no result");
  const outcome = answer.outcome ?? outcomeOf(ending);
  const { data, denial, error } = partsOf(ending, outcome);
  return rawJson(
    `{"capability_id":${quote(record.capabilityId)},` +
      `"capability_version":${record.capabilityVersion === null ? "null" : quote(record.capabilityVersion)},` +
      `"completed_at":"${isoOf(record.completedAt)}",` +
      `"correlation":${correlationText(record.correlation)},` +
      `"data":${data},"denial":${denial},"error":${error},` +
      `"evidence_ids":${idsText(record)},"invocation_id":${quote(record.invocationId)},` +
      `"outcome":"${outcome}",${replayed === true ? '"replayed":true,' : ""}` +
      `"started_at":${record.startedAt === null ? "null" : `"${isoOf(record.startedAt)}"`},` +
      `"success":${outcome === "success"}}`,
  );
};

interface ResultParts {
  readonly data: string;
  readonly denial: string;
  readonly error: string;
}

const partsOf = (ending: Ending, outcome: Outcome): ResultParts => {
  if (ending.kind === "result") {
    if (!ending.isError) return { data: dataOf(ending.json), denial: "null", error: "null" };
    return { data: "null", denial: "null", error: toolError(ending.json) };
  }
  if (ending.kind === "error") {
    const error = ending.indeterminate ? failureOf(ending.indeterminate) : upstreamError(ending.json);
    return { data: "null", denial: "null", error };
  }
  if (ending.kind === "input") throw new HostError("a question has no form here");
  const { refusal } = ending;
  return outcome === "denied" || outcome === "skipped"
    ? { data: "null", denial: denialOf(refusal), error: "null" }
    : { data: "null", denial: "null", error: failureOf(refusal) };
};

/** Where nothing says how the call ended in evidence. */
const outcomeOf = (ending: Ending): Outcome => {
  if (ending.kind === "refusal") return ending.refusal.row.outcome;
  return ending.kind === "result" && !ending.isError ? "success" : "failure";
};

/** The next step is part of every "no". */
const stepsOf = ({ kind, next, details, retryAfterMs, row }: Refusal): Readonly<Record<string, unknown>> => ({
  ...details,
  kind,
  fixer: row.fixer,
  next,
  ...(hasRemedy(kind) && { remedy: next }),
  ...(retryAfterMs === null ? {} : { retry_after_s: Math.ceil(retryAfterMs / 1000) }),
});

const denialOf = (refusal: Refusal): string => {
  const { invariant_id: invariant, ...details } = stepsOf(refusal);
  return jcs({
    code: refusal.row.chp,
    details,
    invariant_id: typeof invariant === "string" ? invariant : undefined,
    message: refusal.message,
    retryable: refusal.retryable,
  });
};

/** After the send a time-out or a cancellation leaves the effect unknown, and is still named. */
const failureOf = (refusal: Refusal): string => {
  const { error } = refusal.details;
  const code = error === "connection_lost" ? "host_error" : typeof error === "string" ? error : refusal.row.chp;
  return jcs({ code, details: { ...stepsOf(refusal), retryable: refusal.retryable }, message: refusal.message });
};

const upstreamError = (json: RawJson): string => {
  const { message } = JSON.parse(json) as { message?: unknown };
  const text = typeof message === "string" ? message : "The server answered with an error.";
  return `{"code":"host_error","details":{"upstream":${json}},"message":${quote(text.slice(0, MAX_MESSAGE))}}`;
};

/** What the model would read is the message, or the sentence in it where all of it is in the details. */
const toolError = (json: RawJson): string => {
  const details = dataOf(json);
  const { content, structuredContent } = JSON.parse(json) as { content?: unknown; structuredContent?: unknown };
  const first: unknown = Array.isArray(content) ? content.find(isText) : undefined;
  const message = isText(first) ? sentenceIn(first.text, structuredContent) : "The tool reported an error.";
  const code = '{"code":"tool_error","details":';
  return `${code}${details.startsWith("{") ? details : "{}"},"message":${quote(message.slice(0, MAX_MESSAGE))}}`;
};

/** Of a text that is JSON, the same as the structured content if there is one, what it has for people: at its top or under `error`. */
const sentenceIn = (text: string, structured: unknown): string => {
  if (!text.startsWith("{")) return text;
  try {
    const told = JSON.parse(text) as { message?: unknown; error?: unknown };
    if (structured !== undefined && jcs(structured) !== jcs(told)) return text;
    const { message, error } = told;
    const inner = typeof error === "object" && error !== null ? (error as { message?: unknown }).message : error;
    return ([inner, message].find((each) => typeof each === "string" && each !== "") as string | undefined) ?? text;
  } catch {
    return text;
  }
};

const isText = (block: unknown): block is { readonly text: string } =>
  typeof block === "object" && block !== null && typeof (block as { text?: unknown }).text === "string";

const dataOf = (json: RawJson): string => {
  let content: RawJson | null = null;
  const member = new MemberWalk(json);
  while (member.next()) {
    const key = member.key();
    if (key === "structuredContent") return member.value();
    if (key === "content") content = member.value();
  }
  return content === null ? json : `{"content":${content}}`;
};

const quote = (text: string): string => JSON.stringify(text);

const nullable = (text: string | null): string => (text === null ? "null" : quote(text));

const correlationText = ({ id, causationId, parentId, traceId }: Correlation): string =>
  `{"causation_id":${nullable(causationId)},"correlation_id":${quote(id)},` +
  `"parent_correlation_id":${nullable(parentId)},"trace_id":${nullable(traceId)}}`;

const idsText = ({ evidenceIds }: CallRecord): string =>
  evidenceIds.length === 0 ? "[]" : `["${evidenceIds.join('","')}"]`;

const SLOTS = 64;
const formattedAt: number[] = Array.from({ length: SLOTS }, () => -1);
const formatted: string[] = Array.from({ length: SLOTS }, () => "");

/** Calls that began or ended in one millisecond share the text. */
const isoOf = (ms: number): string => {
  const slot = ms % SLOTS;
  const known = formatted[slot];
  if (known !== undefined && formattedAt[slot] === ms) return known;
  const text = new Date(ms).toISOString();
  formattedAt[slot] = ms;
  formatted[slot] = text;
  return text;
};
