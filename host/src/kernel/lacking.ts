/**
 * What a caller would have had to declare for a question to be put to it, in the form of `requiredCapabilities`; null when
 * it declared all of it.
 */
import type { Ask, Declared } from "./ask.ts";

type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const lacking = ({ method, params }: Ask, { value }: Declared): Json | null => {
  if (method === "roots/list") return isObject(value["roots"]) ? null : { roots: {} };
  const asked = JSON.parse(params) as Json;
  if (method === "sampling/createMessage") return lackingSampling(asked, value["sampling"]);
  return lackingElicitation(asked["mode"] === "url" ? "url" : "form", value["elicitation"]);
};

const lackingSampling = (asked: Json, declared: unknown): Json | null => {
  const needed = ["tools", "toolChoice"].some((member) => asked[member] !== undefined) ? { tools: {} } : {};
  if (!isObject(declared)) return { sampling: needed };
  return "tools" in needed && !isObject(declared["tools"]) ? { sampling: needed } : null;
};

/** A bare `elicitation: {}` is from the time when forms were all there was. */
const lackingElicitation = (mode: "form" | "url", declared: unknown): Json | null => {
  const has = isObject(declared) && (isObject(declared[mode]) || (mode === "form" && declared["url"] === undefined));
  return has ? null : { elicitation: { [mode]: {} } };
};
