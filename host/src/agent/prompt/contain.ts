/** Untrusted text in one tag of the closed set, which it cannot leave. Pure. */
import { neutraliseTags, type Tag } from "./neutralise-tags.ts";
import { oneLine } from "./one-line.ts";

export type TagAttributes = Readonly<Partial<Record<"name" | "uri", string>>>;

export const contain = (tag: Tag, text: string, attributes: TagAttributes = {}): string =>
  wrap(tag, neutraliseTags(text), attributes);

/** For text that may hold tags of the set, since the host itself made it. */
export const wrap = (tag: Tag, text: string, attributes: TagAttributes = {}): string => {
  const given = Object.entries(attributes).map(([key, value]) => ` ${key}="${attributeText(value)}"`);
  return `<${tag}${given.join("")}>\n${text}\n</${tag}>`;
};

const attributeText = (value: string): string =>
  neutraliseTags(oneLine(value)).replaceAll('"', "'").replaceAll("<", "‹").replaceAll(">", "›");
