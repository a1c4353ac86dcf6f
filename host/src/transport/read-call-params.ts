/**
 * The params of a call, cut into what the call path reads and what it forwards as it came. Runs once per call: it scans
 * the params and `_meta` once each and copies nothing.
 */
import type { Operation } from "../kernel/call.ts";
import { NO_MEMBERS, type RawJson, type RawMembers } from "../kernel/raw-json.ts";
import { MemberWalk } from "../kernel/scan-json.ts";
import { doorRefusal, type DoorRefusal } from "./door-refusal.ts";
import type { Message } from "./message.ts";
import { isObject, META_CAPABILITIES, META_LOG_LEVEL, OWN_META_PREFIX, type JsonObject } from "./protocol.ts";

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
  /** Of a modern request: its client's capabilities, as they came. */
  readonly capabilities: RawJson | null;
  /** `inputResponses`, as they came; null when absent. */
  readonly responses: RawJson | null;
}

const NO_ARGS: JsonObject = Object.freeze({});
/** What the host reads of params, and which of it holds the arguments; the rest is forwarded as it came. */
const READ: Readonly<Record<Operation, { readonly name: string | null; readonly args: string | null }>> = {
  call: { name: "name", args: "arguments" },
  prompt: { name: "name", args: "arguments" },
  read: { name: "uri", args: null },
  complete: { name: null, args: "ref" },
  skill: { name: "uri", args: null },
  directory: { name: "uri", args: null },
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
  let extraParams = NO_MEMBERS;
  let responses: RawJson | null = null;
  const member = new MemberWalk(text, message.paramsAt);
  while (member.next()) {
    const key = member.key();
    if (key === argsKey) argsJson = member.value();
    else if (key === "_meta") metaAt = member.start;
    else if (key === "inputResponses") responses = member.value();
    else if (key !== nameKey && key !== "requestState") extraParams = member.joinTo(extraParams);
  }
  const meta = params["_meta"];
  if (meta !== undefined && !isObject(meta)) return invalid("params._meta is not an object.", "Send an object.");
  const read = meta === undefined ? NO_META : readMeta(text, metaAt, meta);
  return {
    name,
    args: args ?? NO_ARGS,
    argsJson,
    extraParams,
    meta: read.meta,
    providerHint: read.providerHint,
    traceparent: read.traceparent,
    surface: read.surface,
    progressToken: read.progressToken,
    logLevel: read.logLevel,
    capabilities: read.capabilities,
    responses,
  };
};

const nameOf = (params: JsonObject, operation: Operation): string | null => {
  const ref = params["ref"];
  const value =
    READ[operation].name === "uri"
      ? params["uri"]
      : operation === "complete"
        ? isObject(ref) && (ref["type"] === "ref/resource" ? ref["uri"] : ref["name"])
        : params["name"];
  return typeof value === "string" && value !== "" ? value : null;
};

const unnamed = (operation: Operation): DoorRefusal => {
  const member =
    READ[operation].name === "uri" ? "params.uri" : operation === "complete" ? "params.ref" : "params.name";
  return invalid(`${member} is missing or has the wrong type.`, `Send ${member} as the protocol describes it.`);
};

type CallMeta = Pick<
  CallParams,
  "meta" | "providerHint" | "traceparent" | "surface" | "progressToken" | "logLevel" | "capabilities"
>;

const NO_META: CallMeta = {
  meta: NO_MEMBERS,
  providerHint: null,
  traceparent: null,
  surface: null,
  progressToken: null,
  logLevel: null,
  capabilities: null,
};

const isHostOwned = (key: string): boolean =>
  key === "progressToken" || key === "dcc" || HOST_META.some((prefix) => key.startsWith(prefix));

export const readMeta = (text: string, at: number, meta: JsonObject): CallMeta => {
  let foreign = NO_MEMBERS;
  let progressToken: string | null = null;
  let capabilities: RawJson | null = null;
  const member = new MemberWalk(text, at);
  while (member.next()) {
    const key = member.key();
    if (!isHostOwned(key)) foreign = member.joinTo(foreign);
    else if (key === META_CAPABILITIES) capabilities = member.value();
    else if (key === "progressToken" && isToken(meta[key])) progressToken = member.value();
  }
  const trace = stringOf(meta["traceparent"]);
  return {
    meta: foreign,
    providerHint: stringOf(meta["dev.bailiwick/provider"]),
    traceparent: trace !== null && TRACEPARENT.test(trace) ? trace : null,
    surface: stringOf(meta["dev.bailiwick/surface"]),
    progressToken,
    logLevel: stringOf(meta[META_LOG_LEVEL]),
    capabilities,
  };
};

const isToken = (value: unknown): boolean => typeof value === "string" || typeof value === "number";

const stringOf = (value: unknown): string | null => (typeof value === "string" ? value : null);
