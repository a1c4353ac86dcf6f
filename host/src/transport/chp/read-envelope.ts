/**
 * CHP's InvocationEnvelope, read leniently: only `capability_id` is needed, and what is not known is ignored. What would
 * change the call if it were ignored is refused instead. Runs once per call, and copies nothing of the payload.
 */
import { NO_ENVELOPE, type CallMode, type Envelope } from "../../kernel/envelope.ts";
import type { RawJson } from "../../kernel/raw-json.ts";
import { MemberWalk } from "../../kernel/scan-json.ts";
import { plainParams } from "../plain-params.ts";
import { isObject, type JsonObject } from "../protocol.ts";
import type { CallParams } from "../read-call-params.ts";
import { bad } from "./chp-answers.ts";
import { readId } from "./read-id.ts";
import type { ChpBody } from "./read-chp-body.ts";

export interface EnvelopedCall {
  readonly params: CallParams;
  readonly envelope: Envelope;
}

const MODES: ReadonlySet<unknown> = new Set<CallMode>(["sync", "async", "stream", "fire_and_forget"]);
const MAX_NAME = 1024;
/** It stands in every event of the call. */
const MAX_ASSERTED = 8192;
const NO_ARGS: JsonObject = Object.freeze({});
const NOTHING: JsonObject = Object.freeze({});

/** `hostId`: whose own records have ids that no caller may take. */
export const readEnvelope = (body: ChpBody, hostId: string): EnvelopedCall => {
  const { value } = body;
  const { capability_id: id, metadata } = value;
  if (typeof id !== "string" || id === "" || id.length > MAX_NAME) {
    throw bad(
      `"capability_id" is missing or no string of 1 to ${MAX_NAME} characters.`,
      "GET /capabilities lists them.",
    );
  }
  if (metadata !== undefined && metadata !== null && !isObject(metadata)) {
    throw bad('"metadata" is not an object.', "Send an object, or leave it out.");
  }
  const invocationId = readId(value["invocation_id"], "invocation_id");
  const correlated = readCorrelation(value);
  refuseReserved(invocationId, correlated.correlationId, hostId);
  const envelope: Envelope = {
    ...correlated,
    invocationId,
    mode: readMode(value["mode"]),
    version: readVersion(value),
    requireOutputSchema: readFlag(value["require_output_schema"], "require_output_schema"),
    approvalRef: value["approval_ref"] ?? null,
    mandate: value["mandate"] ?? null,
    asserted: readAsserted(value),
    context: isObject(metadata) ? readContext(metadata["context"]) : null,
    onceKey: invocationId,
  };
  return { params: readPayload(body, id), envelope };
};

const readPayload = ({ text, value, scan }: ChpBody, name: string): CallParams => {
  const { payload, arguments: alias } = value;
  if (payload !== undefined && alias !== undefined) {
    throw bad('Both "payload" and "arguments" are there.', "Send one of them.");
  }
  const args = payload === undefined ? alias : payload;
  const key = payload === undefined ? "arguments" : "payload";
  if (args === undefined) return plainParams(name, NO_ARGS, null);
  if (!isObject(args)) throw bad(`"${key}" is not an object.`, "Send an object, or leave it out.");
  return plainParams(name, args, scan.arguments() ?? valueOf(text, key));
};

/** Of a name with escapes too. */
const valueOf = (text: string, key: string): RawJson | null => {
  const member = new MemberWalk(text);
  while (member.next()) if (member.key() === key) return member.value();
  return null;
};

type Correlated = Pick<Envelope, "correlationId" | "causationId" | "parentId" | "traceId">;

const readCorrelation = (value: JsonObject): Correlated => {
  const { correlation, correlation_id: lifted } = value;
  if (correlation !== undefined && correlation !== null && !isObject(correlation)) {
    throw bad('"correlation" is not an object.', 'Send {"correlation_id": "..."}, or leave it out.');
  }
  const given = correlation ?? NOTHING;
  return {
    correlationId: readId(given["correlation_id"] ?? lifted, "correlation.correlation_id"),
    causationId: readId(given["causation_id"], "correlation.causation_id"),
    parentId: readId(given["parent_correlation_id"], "correlation.parent_correlation_id"),
    traceId: readId(given["trace_id"], "correlation.trace_id"),
  };
};

const refuseReserved = (invocationId: string | null, correlationId: string | null, hostId: string): void => {
  if (invocationId === "host") {
    throw bad('"invocation_id" is "host", under which the host records itself.', "Send another, or leave it out.");
  }
  if (correlationId === null || !correlationId.startsWith("host-") || !correlationId.endsWith(`-${hostId}`)) return;
  throw bad(
    `"correlation.correlation_id" is of the form host-<topic>-${hostId}, under which the host records itself.`,
    "Send another, or leave it out.",
  );
};

const readMode = (mode: unknown): CallMode => {
  if (mode === undefined || mode === null) return NO_ENVELOPE.mode;
  if (MODES.has(mode)) return mode as CallMode;
  throw bad('"mode" is none that there is.', `Send one of ${[...MODES].join(", ")}.`);
};

const readVersion = ({ requested_capability_version: range, version }: JsonObject): string | null => {
  const wanted = range ?? version ?? null;
  if (wanted === null || (typeof wanted === "string" && wanted !== "" && wanted.length <= 256)) return wanted;
  throw bad('"requested_capability_version" is no version and no range.', 'Send one like "1.2.0" or "^1".');
};

const readFlag = (flag: unknown, name: string): boolean => {
  if (flag === undefined || flag === null) return false;
  if (typeof flag === "boolean") return flag;
  throw bad(`"${name}" is not a boolean.`, "Send true or false, or leave it out.");
};

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || (isObject(value) && Object.keys(value).length === 0);

const readAsserted = ({ subject, actor, verified }: JsonObject): Envelope["asserted"] => {
  if (isEmpty(subject) && isEmpty(actor) && isEmpty(verified)) return null;
  const asserted = {
    ...(isEmpty(subject) ? {} : { subject }),
    ...(isEmpty(actor) ? {} : { actor }),
    ...(isEmpty(verified) ? {} : { verified }),
  };
  return bounded(asserted, '"subject" and "actor"');
};

const readContext = (context: unknown): Envelope["context"] =>
  isObject(context) ? bounded(context, '"metadata.context"') : null;

const bounded = <T extends object>(value: T, what: string): T => {
  if (JSON.stringify(value).length <= MAX_ASSERTED) return value;
  throw bad(`${what} has more than ${MAX_ASSERTED} characters.`, "Send less of it: it is recorded with the call.");
};
