/** One JSON-RPC message with its text, and where in it the id and the params stand. */
import { MemberWalk } from "../kernel/scan-json.ts";
import { isObject, type JsonObject } from "./protocol.ts";

export interface Message {
  readonly text: string;
  readonly method: string;
  readonly id: string | number | null;
  /** The id as it came; null for a notification. */
  readonly idText: string | null;
  readonly params: JsonObject;
  /** Where the params object opens in `text`; -1 when there is none. */
  readonly paramsAt: number;
}

const NO_PARAMS: JsonObject = Object.freeze({});

/** `value` is `text` parsed, already known to be a request or a notification. */
export const readMessage = (text: string, value: JsonObject): Message => {
  let idText: string | null = null;
  let paramsAt = -1;
  const member = new MemberWalk(text);
  while (member.next()) {
    const key = member.key();
    if (key === "id") idText = member.value();
    else if (key === "params") paramsAt = member.start;
  }
  return {
    text,
    method: value["method"] as string,
    id: (value["id"] as string | number | undefined) ?? null,
    idText,
    params: isObject(value["params"]) ? value["params"] : NO_PARAMS,
    paramsAt,
  };
};
