/**
 * The params of a call, cut into what the call path reads and what it forwards as it came. Runs once per call: it scans
 * the params and `_meta` once each and copies nothing.
 */
import type { Operation } from "../kernel/call.ts";
import { NO_MEMBERS, type RawJson, type RawMembers } from "../kernel/raw-json.ts";
import { joinMembers, membersOf, sliceJson, type Member } from "../kernel/scan-json.ts";
import { doorRefusal, type DoorRefusal } from "./door-refusal.ts";
import type { Message } from "./message.ts";
import { isObject, META_LOG_LEVEL, OWN_META_PREFIX, type JsonObject } from "./protocol.ts";

export interface CallParams {
  readonly name: string;
  /** For `complete`: the ref. */
  readonly args: JsonObject;
  readonly argsJson: RawJson | null;
  readonly extraParams: RawMembers;
  readonly meta: RawMembers;
  readonly providerHint: string | null;
  readonly traceparent: string | null;
  readonly surface: string | null;
  /** As it came; null: the caller wants no progress. */
  readonly progressToken: string | null;
  /** Of a modern request. */
  readonly logLevel: string | null;
}

const NO_ARGS: JsonObject = Object.freeze({});
/** What the host reads of params, and which of it holds the arguments; the rest is forwarded as it came. */
const READ: Readonly<Record<Operation, { readonly name: string | null; readonly args: string | null }>> = {
  call: { name: "name", args: "arguments" },
  prompt: { name: "name", args: "arguments" },
  read: { name: "uri", args: null },
  complete: { name: null, args: "ref" },
};
const TRACEPARENT = /^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;
const HOST_META = ["dev.bailiwick/", "ai.nimblebrain/", OWN_META_PREFIX];

const invalid = (message: string, next: string): DoorRefusal =>
  doorRefusal("bad_request", { code: -32602, status: 200, message, next });

export const readCallParams = (message: Message, operation: Operation): CallParams | DoorRefusal => {
  const { params, text } = message;
  const name = nameOf(params, operation);
  if (name === null) return unnamed(operation);
  const { name: nameKey, args: argsKey } = READ[operation];
  const args = argsKey === null ? undefined : params[argsKey];
  if (args !== undefined && !isObject(args)) return invalid("params.arguments is not an object.", "Send an object.");

  let argsJson: RawJson | null = null;
  let metaAt = -1;
  let extra: Member[] | null = null;
  for (const member of membersOf(text, message.paramsAt)) {
    const { key } = member;
    if (key === argsKey) argsJson = sliceJson(text, member);
    else if (key === "_meta") metaAt = member.start;
    else if (key !== nameKey) (extra ??= []).push(member);
  }
  const meta = params["_meta"];
  if (meta !== undefined && !isObject(meta)) return invalid("params._meta is not an object.", "Send an object.");
  return {
    name,
    args: args ?? NO_ARGS,
    argsJson,
    extraParams: extra === null ? NO_MEMBERS : joinMembers(text, extra),
    ...(meta === undefined ? NO_META : readMeta(text, metaAt, meta)),
  };
};

const nameOf = (params: JsonObject, operation: Operation): string | null => {
  const ref = params["ref"];
  const value =
    operation === "read"
      ? params["uri"]
      : operation === "complete"
        ? isObject(ref) && (ref["type"] === "ref/resource" ? ref["uri"] : ref["name"])
        : params["name"];
  return typeof value === "string" && value !== "" ? value : null;
};

const unnamed = (operation: Operation): DoorRefusal => {
  const member = operation === "read" ? "params.uri" : operation === "complete" ? "params.ref" : "params.name";
  return invalid(`${member} is missing or has the wrong type.`, `Send ${member} as the protocol describes it.`);
};

type CallMeta = Pick<CallParams, "meta" | "providerHint" | "traceparent" | "surface" | "progressToken" | "logLevel">;

const NO_META: CallMeta = {
  meta: NO_MEMBERS,
  providerHint: null,
  traceparent: null,
  surface: null,
  progressToken: null,
  logLevel: null,
};

const isHostOwned = (key: string): boolean =>
  key === "progressToken" || key === "dcc" || HOST_META.some((prefix) => key.startsWith(prefix));

const readMeta = (text: string, at: number, meta: JsonObject): CallMeta => {
  const foreign: Member[] = [];
  let progressToken: string | null = null;
  for (const member of membersOf(text, at)) {
    if (!isHostOwned(member.key)) foreign.push(member);
    else if (member.key === "progressToken") progressToken = tokenOf(text, member, meta);
  }
  const trace = stringOf(meta["traceparent"]);
  return {
    meta: foreign.length === 0 ? NO_MEMBERS : joinMembers(text, foreign),
    providerHint: stringOf(meta["dev.bailiwick/provider"]),
    traceparent: trace !== null && TRACEPARENT.test(trace) ? trace : null,
    surface: stringOf(meta["dev.bailiwick/surface"]),
    progressToken,
    logLevel: stringOf(meta[META_LOG_LEVEL]),
  };
};

const tokenOf = (text: string, member: Member, meta: JsonObject): string | null => {
  const type = typeof meta["progressToken"];
  return type === "string" || type === "number" ? text.slice(member.start, member.end) : null;
};

const stringOf = (value: unknown): string | null => (typeof value === "string" ? value : null);
