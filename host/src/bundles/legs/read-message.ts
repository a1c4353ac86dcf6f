/**
 * One incoming JSON-RPC message: parsed once for reading, and its spans for forwarding as they came.
 * Of a member that stands there twice the last one counts, as for `JSON.parse`.
 */
import type { RawJson } from "../../kernel/raw-json.ts";
import { itemsOf, membersOf, sliceJson, type Member } from "../../kernel/scan-json.ts";

/** How the upstream answered. `value` is the parsed result, `data` the parsed `error.data`. */
export type Reply =
  | { readonly kind: "result"; readonly json: RawJson; readonly isError: boolean; readonly value: JsonObject }
  | {
      readonly kind: "error";
      readonly json: RawJson;
      readonly code: number;
      readonly message: string;
      readonly data: unknown;
    };

export type JsonObject = Readonly<Record<string, unknown>>;

export type Message =
  | { readonly kind: "answer"; readonly id: unknown; readonly reply: Reply | null }
  | ServerRequest
  | ({ readonly kind: "notification" } & Spoken);

interface Spoken {
  readonly method: string;
  readonly params: JsonObject | null;
  /** The params as they came; empty when there are none. */
  readonly paramsJson: string;
}

/** Something that the server wants to know. */
export interface ServerRequest extends Spoken {
  readonly kind: "request";
  readonly id: RawJson;
  /** The same id as a value, for finding the request again. */
  readonly key: string | number;
}

const MAX_BATCH = 1000;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The messages in a text: usually one, several in a batch of 2025-03-26, none when it is not JSON-RPC. */
export const readMessages = (text: string): readonly Message[] => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return [];
  }
  if (isObject(value)) {
    const message = toMessage(text, value);
    return message ? [message] : [];
  }
  if (!Array.isArray(value) || value.length > MAX_BATCH) return [];
  return itemsOf(text).flatMap((span, i) => {
    const item: unknown = (value as unknown[])[i];
    const message = isObject(item) ? toMessage(text.slice(span.start, span.end), item) : null;
    return message ? [message] : [];
  });
};

const toMessage = (text: string, value: JsonObject): Message | null => {
  const method = value["method"];
  if (typeof method === "string") return fromServer(text, value, method);
  if (value["result"] === undefined && value["error"] === undefined) return null;
  return { kind: "answer", id: value["id"], reply: toReply(text, value) };
};

/** Null when the answer is none that MCP knows: then the call failed, whatever was meant. */
const toReply = (text: string, value: JsonObject): Reply | null => {
  const { result, error } = value;
  if (isObject(error) && Number.isInteger(error["code"]) && typeof error["message"] === "string") {
    const json = sliceJson(text, lastMember(text, "error"));
    return { kind: "error", json, code: error["code"] as number, message: error["message"], data: error["data"] };
  }
  if (!isObject(result) || error !== undefined) return null;
  return {
    kind: "result",
    json: sliceJson(text, lastMember(text, "result")),
    isError: result["isError"] === true,
    value: result,
  };
};

const fromServer = (text: string, value: JsonObject, method: string): Message => {
  const { id, params } = value;
  const spoken: Spoken = isObject(params)
    ? { method, params, paramsJson: sliceJson(text, lastMember(text, "params")) }
    : { method, params: null, paramsJson: "" };
  return typeof id === "string" || typeof id === "number"
    ? { kind: "request", id: sliceJson(text, lastMember(text, "id")), key: id, ...spoken }
    : { kind: "notification", ...spoken };
};

/** The member that `JSON.parse` took; only for keys that it found. */
export const lastMember = (text: string, key: string): Member =>
  membersOf(text).findLast((member) => member.key === key) as Member;
