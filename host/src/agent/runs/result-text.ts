/**
 * What a model reads of a tool's result: its text, and a line for each part that is none. What is for the person alone is not
 * in it. Pure.
 */
import { isObject } from "../../kernel/is-object.ts";
import { oneLine } from "../prompt/one-line.ts";

type Json = Readonly<Record<string, unknown>>;

/** `isText`: it says what the tool has to say, rather than that there is something. */
interface Part {
  readonly text: string;
  readonly isText: boolean;
}

const MAX_URI = 1_024;
const NOTHING = "(The tool returned nothing.)";
const FOR_PERSON = "(The result is for the person alone, who can see it.)";

export const resultText = (result: unknown): string => {
  if (!isObject(result)) return jsonOf(result);
  const { content, structuredContent } = result;
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [];
  const shown = blocks.filter((block) => !isForPersonAlone(block));
  const parts = shown.map(partOf).filter(({ text }) => text !== "");
  const texts = parts.map(({ text }) => text);
  if (structuredContent !== undefined && !parts.some(({ isText }) => isText)) texts.push(jsonOf(structuredContent));
  if (texts.length > 0) return texts.join("\n");
  if (blocks.length > shown.length) return FOR_PERSON;
  return Array.isArray(content) ? NOTHING : jsonOf(result);
};

const isForPersonAlone = (block: unknown): boolean => {
  const annotations = isObject(block) ? block["annotations"] : null;
  const audience = isObject(annotations) ? annotations["audience"] : null;
  return Array.isArray(audience) && audience.length === 1 && audience[0] === "user";
};

const partOf = (block: unknown): Part => {
  if (!isObject(block)) return said(jsonOf(block));
  const { type, text, data } = block;
  if (type === "text" && typeof text === "string") return said(text);
  if ((type === "image" || type === "audio") && typeof data === "string") {
    return described(type, [block["mimeType"], sizeOf(data)]);
  }
  if (type === "resource_link" && typeof block["uri"] === "string") {
    const { uri, name, mimeType, size } = block;
    return described("link", [uri, name, mimeType, typeof size === "number" ? `${size} bytes` : null]);
  }
  if (type === "resource" && isObject(block["resource"])) return resourcePart(block["resource"]) ?? said(jsonOf(block));
  return said(jsonOf(block));
};

const resourcePart = ({ uri, mimeType, text, blob }: Json): Part | null => {
  if (typeof text === "string") return said(`${described("resource", [uri, mimeType]).text}\n${text}`);
  return typeof blob === "string" ? described("resource", [uri, mimeType, sizeOf(blob)]) : null;
};

const said = (text: string): Part => ({ text, isText: text.trim() !== "" });

const described = (what: string, facts: readonly unknown[]): Part => {
  const known = facts.filter((fact) => typeof fact === "string" && fact !== "");
  return { text: `[${[what, ...known.map((fact) => oneLine(String(fact), MAX_URI))].join(", ")}]`, isText: false };
};

/** Of what is written in base64. */
const sizeOf = ({ length }: string): string => `about ${Math.floor((length * 3) / 4)} bytes`;

const jsonOf = (value: unknown): string => {
  try {
    return JSON.stringify(value) ?? NOTHING;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return "(This part of the result is nested too deep to be written out.)";
  }
};
