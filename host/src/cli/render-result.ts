/** A CallToolResult as text for a person: text blocks as they are, every other block in one line. Pure, and never throws. */
import { sizeText } from "./size-text.ts";

type Block = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Block =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const renderResult = (result: unknown): readonly string[] => {
  if (!isObject(result)) return [];
  const { content } = result;
  const blocks = Array.isArray(content) ? content.map(renderBlock) : [];
  if (blocks.length > 0 || result["structuredContent"] === undefined) return blocks;
  return [JSON.stringify(result["structuredContent"], null, 2)];
};

const word = (value: unknown): string => (typeof value === "string" ? value : "");

const bracket = (...parts: readonly string[]): string => `[${parts.filter((part) => part !== "").join(" ")}]`;

const renderBlock = (block: unknown): string => {
  if (!isObject(block)) return bracket("unreadable block");
  switch (block["type"]) {
    case "text":
      return word(block["text"]);
    case "image":
    case "audio":
      return bracket(block["type"], word(block["mimeType"]), sizeOfBase64(block["data"]));
    case "resource_link":
      return bracket("link", word(block["name"]), word(block["uri"]));
    case "resource":
      return renderResource(block["resource"]);
    default:
      return bracket(word(block["type"]) || "block without a type");
  }
};

const renderResource = (resource: unknown): string => {
  if (!isObject(resource)) return bracket("resource");
  if (typeof resource["text"] === "string") return resource["text"];
  return bracket("resource", word(resource["uri"]), word(resource["mimeType"]), sizeOfBase64(resource["blob"]));
};

const sizeOfBase64 = (data: unknown): string => {
  if (typeof data !== "string") return "";
  const padding = data.endsWith("==") ? 2 : data.endsWith("=") ? 1 : 0;
  return sizeText(Math.max(0, Math.floor((data.length * 3) / 4) - padding));
};
