/** What a request of the modern era declares of its client. Its envelope was checked: the capabilities are an object. */
import type { Declared } from "../kernel/ask.ts";
import { rawJson } from "../kernel/raw-json.ts";
import { memberOf, sliceJson } from "../kernel/scan-json.ts";
import type { Message } from "./message.ts";
import { META_CAPABILITIES, type JsonObject } from "./protocol.ts";

/** Where the `_meta` object opens in the message's text. */
export const metaAt = ({ text, paramsAt }: Message): number => memberOf(text, "_meta", paramsAt)?.start ?? -1;

export const readDeclared = (message: Message): Declared => {
  const span = memberOf(message.text, META_CAPABILITIES, metaAt(message));
  const value = (message.params["_meta"] as JsonObject)[META_CAPABILITIES] as JsonObject;
  return { json: span === null ? rawJson("{}") : sliceJson(message.text, span), value };
};
