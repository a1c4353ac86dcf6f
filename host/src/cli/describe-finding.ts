/** One thing that was found about a config or a text, as a line: `/metadata/version: must be a text`. Pure. */
import { isObject } from "../kernel/is-object.ts";
import { visibleText } from "./visible-text.ts";

/** Null: it is none. */
export const describeFinding = (item: unknown): string | null => {
  if (typeof item === "string") return visibleText(item);
  if (!isObject(item) || typeof item["message"] !== "string") return null;
  const place = item["pointer"] ?? item["location"];
  return visibleText(typeof place === "string" && place !== "" ? `${place}: ${item["message"]}` : item["message"]);
};
