/** JSON and YAML texts as one object. Numbers of JSON stay as they were written. */
import { ComposeError } from "../compose-error.ts";
import { isNestedTooDeep, NESTED_TOO_DEEP } from "../configs/nesting.ts";
import { readYaml } from "../../kernel/read-yaml.ts";
import { deepMerge, isMembers, type ArrayMerge } from "./deep-merge.ts";
import { keepNumber } from "./kept-number.ts";

export interface DataText {
  readonly content_id: string;
  readonly text: string;
  readonly format: string;
}

export interface DataMerge {
  readonly format: "json" | "yaml";
  readonly arrays: ArrayMerge;
}

const fail = (id: string, why: string): ComposeError =>
  new ComposeError("assembly_failed", `The text of "${id}" cannot be merged: ${why}.`, { content_id: id });

const readJson = ({ content_id: id, text }: DataText): unknown => {
  try {
    // Before the second reading, which takes a level of the stack for each of the text.
    if (isNestedTooDeep(JSON.parse(text))) throw fail(id, NESTED_TOO_DEEP);
    return JSON.parse(text, keepNumber);
  } catch (error) {
    throw error instanceof ComposeError ? error : fail(id, `it is no JSON (${(error as Error).message.slice(0, 200)})`);
  }
};

const readYamlText = async ({ content_id: id, text }: DataText): Promise<unknown> => {
  const { value, broken, faults } = await readYaml(text);
  const fault = broken ?? faults[0];
  if (fault !== undefined) throw fail(id, `line ${fault.line}: ${fault.pointer} ${fault.message}`);
  if (isNestedTooDeep(value)) throw fail(id, NESTED_TOO_DEEP);
  return value;
};

/** As it is merged into an output of the format. ComposeError `assembly_failed`: it cannot be. */
export const readData = async (text: DataText, format: DataMerge["format"]): Promise<unknown> => {
  const isJson = format === "json" && text.format !== "yaml";
  const value = isJson ? readJson(text) : await readYamlText(text);
  if (!isMembers(value)) throw fail(text.content_id, "it is no object");
  return value;
};

export const mergeData = async (texts: readonly DataText[], { format, arrays }: DataMerge): Promise<string> => {
  let merged: unknown = {};
  for (const each of texts) merged = deepMerge(merged, await readData(each, format), arrays);
  if (format === "json") return `${JSON.stringify(merged, null, 2)}\n`;
  const { stringify } = await import("yaml");
  return stringify(merged, { lineWidth: 0, aliasDuplicateObjects: false });
};
