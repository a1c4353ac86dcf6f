/** Accepted definitions as the text of their file, and back. */
import { definitionOf } from "../../kernel/definition-of.ts";
import { rawJson } from "../../kernel/raw-json.ts";
import { isObject } from "../shapes.ts";
import type { AcceptedSet, AcceptedTool } from "./accepted-set.ts";
import { hashInstructions } from "./judge-definitions.ts";

const FORMAT = 1;

export const writePins = (accepted: AcceptedSet, source: string): string => {
  const { version, origin, tools, instructions, incomplete } = accepted;
  return JSON.stringify({
    format: FORMAT,
    source,
    version,
    origin,
    incomplete,
    tools: [...tools].map(([name, { hash, json }]) => [name, hash, json]),
    instructions: instructions === null ? null : { hash: hashInstructions(instructions), text: instructions },
  });
};

/** Null: they were accepted of another source. Throws where the text is not what was written. */
export const readPins = (text: string, source: string): AcceptedSet | null => {
  const value: unknown = JSON.parse(text);
  if (!isObject(value) || value["format"] !== FORMAT) throw new TypeError("it is of no known format");
  if (typeof value["source"] !== "string" || !Array.isArray(value["tools"])) throw new TypeError("members are missing");
  if (value["source"] !== source) return null;
  return {
    version: textOrNull(value["version"]),
    origin: textOrNull(value["origin"]),
    tools: new Map(value["tools"].map(toTool)),
    instructions: toInstructions(value["instructions"]),
    incomplete: value["incomplete"] !== false,
  };
};

const toTool = (row: unknown): [string, AcceptedTool] => {
  const [name, hash, json] = Array.isArray(row) ? (row as readonly unknown[]) : [];
  if (typeof name !== "string" || typeof json !== "string") throw new TypeError("a tool is not as it was written");
  const tool: unknown = JSON.parse(json);
  if (!isObject(tool) || tool["name"] !== name || definitionOf(tool) !== hash) {
    throw new TypeError(`the definition of "${name.slice(0, 64)}" does not have the hash it was accepted with`);
  }
  return [name, { hash, json: rawJson(json) }];
};

const toInstructions = (value: unknown): string | null => {
  if (value === null) return null;
  if (!isObject(value) || typeof value["text"] !== "string" || value["hash"] !== hashInstructions(value["text"])) {
    throw new TypeError("the instructions do not have the hash they were accepted with");
  }
  return value["text"];
};

const textOrNull = (value: unknown): string | null => (typeof value === "string" ? value : null);
