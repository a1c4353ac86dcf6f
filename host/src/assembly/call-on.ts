/** A tool of compose that has another do a part of its work: a call of its own on the one call path, by the same caller. */
import { SILENT } from "../agent/chat/agent-call.ts";
import type { CallPath } from "../call/create-call-path.ts";
import type { CalledOn, CallOn, CallOnOrder } from "../compose/workbench.ts";
import { NOBODY } from "../kernel/ask.ts";
import type { RawCall } from "../kernel/call.ts";
import { NO_ENVELOPE } from "../kernel/envelope.ts";
import { isObject } from "../kernel/is-object.ts";
import { NO_MEMBERS, rawJson, type RawJson } from "../kernel/raw-json.ts";

type Path = Pick<CallPath, "handleCall" | "surfaceFacts">;

export const callOn =
  (path: Path): CallOn =>
  async (order) => {
    const { ending } = await path.handleCall(rawCallOf(order, path));
    if (ending.kind === "result") return calledOn(ending.json, ending.isError);
    if (ending.kind === "refusal") {
      const { kind, message, details, next } = ending.refusal;
      return { ok: false, code: kind, message, details: { ...details, next } };
    }
    return { ok: false, code: "internal_error", message: `${order.tool} did not answer.`, details: {} };
  };

const rawCallOf = ({ tool, args, call }: CallOnOrder, path: Path): RawCall => {
  const { correlationId, invocationId, origin, caller, endpoint } = call.facts();
  const { presented, door, run, approvalWaitMs } = origin;
  const flat = `compose__${tool}`;
  const named = endpoint === null ? flat : tool;
  // What the CHP door calls a tool is the operator's choice.
  const id =
    door === "chp" ? path.surfaceFacts(caller, null)?.tools.find(({ flatName }) => flatName === flat)?.id : named;
  const argsJson = rawJson(JSON.stringify(args));
  return {
    door,
    operation: "call",
    name: id ?? named,
    provider: endpoint,
    // What is checked and what is sent are read from the same text.
    args: JSON.parse(argsJson) as Record<string, unknown>,
    argsJson,
    extraParams: NO_MEMBERS,
    meta: NO_MEMBERS,
    providerHint: null,
    traceparent: null,
    presented,
    verified: null,
    surface: null,
    signal: call.signal,
    listener: SILENT,
    asker: NOBODY,
    input: null,
    continues: null,
    envelope: { ...NO_ENVELOPE, correlationId, causationId: invocationId },
    approvalWaitMs,
    ...(run === null ? {} : { run }),
  };
};

const calledOn = (json: RawJson, isError: boolean): CalledOn => {
  const { structuredContent: value } = JSON.parse(json) as { structuredContent?: unknown };
  if (!isError && isObject(value)) return { ok: true, value };
  const error = isObject(value) && isObject(value["error"]) ? value["error"] : {};
  const { code, message, details } = error;
  return {
    ok: false,
    code: typeof code === "string" ? code : "internal_error",
    message: typeof message === "string" ? message : "It was done, and its answer is too large to be used here.",
    details: isObject(details) ? details : {},
  };
};
