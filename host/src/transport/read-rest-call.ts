/** `{name, arguments?, surface?, idempotencyKey?}` or `{server, tool, …}` to the params of a call. */
import { NO_ENVELOPE, type Envelope } from "../kernel/envelope.ts";
import { Refusal } from "../kernel/refusal.ts";
import { memberOf, sliceJson } from "../kernel/scan-json.ts";
import { plainParams } from "./plain-params.ts";
import { isObject } from "./protocol.ts";
import type { CallParams } from "./read-call-params.ts";
import type { RestBody } from "./read-rest-body.ts";

export interface RestCall {
  /** Set in the second form: `tool` is that provider's own name. */
  readonly provider: string | null;
  readonly params: CallParams;
  readonly envelope: Envelope;
}

/** Any short text; it is only ever hashed. */
const MAX_KEY = 256;

const bad = (message: string, next: string): Refusal => new Refusal("bad_request", { message, next });

export const readRestCall = ({ text, value }: RestBody): RestCall => {
  const { name, server, tool, surface, idempotencyKey, arguments: args = {} } = value;
  const flat = typeof name === "string" && server === undefined && tool === undefined;
  const split = name === undefined && typeof server === "string" && typeof tool === "string";
  if (!flat && !split) {
    throw bad("The body names no tool.", 'Send {"name": "provider__tool"} or {"server": "provider", "tool": "tool"}.');
  }
  if (!isObject(args)) throw bad('"arguments" is not an object.', "Send an object, or leave it out.");
  if (surface !== undefined && typeof surface !== "string") {
    throw bad('"surface" is not a string.', "Send the token that GET /v1/tools gave, or leave it out.");
  }
  if (idempotencyKey !== undefined && !isKey(idempotencyKey)) {
    throw bad(
      `"idempotencyKey" is not a string of 1 to ${MAX_KEY} characters.`,
      "Send one that you make up for this call, and the same one when you repeat it.",
    );
  }
  const span = memberOf(text, "arguments");
  const argsJson = span === null ? null : sliceJson(text, span);
  const params: CallParams = {
    ...plainParams(flat ? name : (tool as string), args, argsJson),
    surface: surface ?? null,
  };
  const envelope = idempotencyKey === undefined ? NO_ENVELOPE : { ...NO_ENVELOPE, onceKey: idempotencyKey };
  return { provider: split ? server : null, params, envelope };
};

const isKey = (value: unknown): value is string =>
  typeof value === "string" && value.length >= 1 && value.length <= MAX_KEY;
