/**
 * A reply as the spine takes it. Only in the modern era does a result say of what kind it is, and one that is not
 * `complete` is not the call's last word.
 */
import type { ProviderAnswer } from "../../kernel/provider.ts";
import type { Reply } from "./read-message.ts";

const MAX_NAMED = 100;

export const toAnswer = (reply: Reply, era: "legacy" | "modern"): ProviderAnswer => {
  if (era === "legacy" || reply.kind === "error") return reply;
  const type = reply.value["resultType"];
  if (type === undefined || type === "complete") return reply;
  const resultType = typeof type === "string" ? type : JSON.stringify(type).slice(0, MAX_NAMED);
  return { kind: "partial", resultType, json: reply.json, value: reply.value };
};
