/** One entry of a list: what must be true of it so that a client can read the list it stands in. */
import { definitionOf } from "../../kernel/definition-of.ts";
import type { ListedPrompt, ListedResource, ListedTemplate, ListedTool } from "../../kernel/provider.ts";
import type { RawJson } from "../../kernel/raw-json.ts";
import { findJsonDefect } from "../../kernel/scan-json.ts";
import { isObject, type JsonObject } from "./read-message.ts";

export interface RawEntry {
  readonly json: RawJson;
  readonly value: unknown;
}

/** What a list holds, and what is wrong with the list itself. */
export interface Pages {
  readonly entries: readonly RawEntry[];
  readonly defects: readonly string[];
}

/** The entry as it is served, or why it is not. */
type ToEntry<T> = (json: RawJson, value: JsonObject) => { readonly key: string; readonly entry: T } | string;

const MAX_DEPTH = 128;
const MAX_NAME = 512;
const MAX_DEFECTS = 100;

/** The entries that can be served, in their order; what is wrong is added to `defects`. */
export const readEntries = <T>(pages: Pages, toEntry: ToEntry<T>, defects: string[]): T[] => {
  const entries = new Map<string, T>();
  defects.push(...pages.defects);
  const report = (defect: string): void => {
    if (defects.length < MAX_DEFECTS) defects.push(defect);
  };
  for (const { json, value } of pages.entries) {
    const read = isObject(value) ? toEntry(json, value) : "an entry is not an object";
    if (typeof read === "string") report(read);
    else if (entries.has(read.key)) report(`"${read.key}" stands in the list twice; the first one counts`);
    else {
      const defect = ambiguity(json);
      if (defect) report(`"${read.key}" ${defect}`);
      else entries.set(read.key, read.entry);
    }
  }
  return [...entries.values()];
};

/** Two parsers must read the same definition, else what was accepted is not what a client sees. */
const ambiguity = (json: RawJson): string | null => {
  const defect = findJsonDefect(json, { maxDepth: MAX_DEPTH, numbers: false });
  if (defect?.kind === "repeated") return `repeats a member at ${defect.pointer || "the top"}`;
  return defect?.kind === "deep" ? `is nested deeper than ${MAX_DEPTH} levels` : null;
};

export const toTool: ToEntry<ListedTool> = (json, value) => {
  const name = nameOf(value, "name");
  if (name === null) return "a tool has no usable name";
  const schema = value["inputSchema"];
  if (!isObject(schema) || schema["type"] !== "object") return `tool "${name}" has no inputSchema of type object`;
  const wrong = wrongMember(value, TOOL_MEMBERS) ?? wrongMember(value["annotations"] ?? {}, HINTS);
  if (wrong) return `tool "${name}" has a "${wrong}" of the wrong type`;
  return { key: name, entry: { json, value, name, definition: definitionOf(value) } };
};

export const toPrompt: ToEntry<ListedPrompt> = (json, value) => {
  const name = nameOf(value, "name");
  if (name === null) return "a prompt has no usable name";
  const wrong = wrongMember(value, PROMPT_MEMBERS);
  if (wrong) return `prompt "${name}" has a "${wrong}" of the wrong type`;
  return { key: name, entry: { json, value, name } };
};

export const toResource: ToEntry<ListedResource> = (json, value) => {
  const uri = nameOf(value, "uri");
  if (uri === null || typeof value["name"] !== "string") return "a resource has no usable uri or name";
  const wrong = wrongMember(value, RESOURCE_MEMBERS);
  if (wrong) return `resource "${uri}" has a "${wrong}" of the wrong type`;
  return { key: uri, entry: { json, value, uri } };
};

export const toTemplate: ToEntry<ListedTemplate> = (json, value) => {
  const uriTemplate = nameOf(value, "uriTemplate");
  if (uriTemplate === null || typeof value["name"] !== "string")
    return "a resource template has no usable uriTemplate or name";
  const wrong = wrongMember(value, RESOURCE_MEMBERS);
  if (wrong) return `resource template "${uriTemplate}" has a "${wrong}" of the wrong type`;
  return { key: uriTemplate, entry: { json, value, uriTemplate } };
};

type Kind = "string" | "object" | "array" | "boolean";
const COMMON = { title: "string", description: "string", _meta: "object", icons: "array" } as const;
const TOOL_MEMBERS: Record<string, Kind> = {
  ...COMMON,
  outputSchema: "object",
  annotations: "object",
  execution: "object",
};
const HINTS: Record<string, Kind> = {
  title: "string",
  readOnlyHint: "boolean",
  destructiveHint: "boolean",
  idempotentHint: "boolean",
  openWorldHint: "boolean",
};
const PROMPT_MEMBERS: Record<string, Kind> = { ...COMMON, arguments: "array" };
const RESOURCE_MEMBERS: Record<string, Kind> = { ...COMMON, mimeType: "string", annotations: "object" };

/** Clients drop a whole list for one member of the wrong type, so the entry goes, not the list. */
const wrongMember = (value: object, members: Record<string, Kind>): string | null => {
  for (const [key, kind] of Object.entries(members)) {
    const member = (value as JsonObject)[key];
    if (member !== undefined && kindOf(member) !== kind) return key;
  }
  return null;
};

const kindOf = (value: unknown): string => (Array.isArray(value) ? "array" : value === null ? "null" : typeof value);

/** Control characters in a name would forge lines wherever it is shown. */
const nameOf = (value: JsonObject, key: string): string | null => {
  const name = value[key];
  // oxlint-disable-next-line no-control-regex
  return typeof name === "string" && /^[^\u0000-\u001f\u007f]+$/.test(name) && name.length <= limitOf(key)
    ? name
    : null;
};

const limitOf = (key: string): number => (key === "name" ? MAX_NAME : 8_192);
