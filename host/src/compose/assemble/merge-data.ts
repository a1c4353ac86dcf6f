/** JSON and YAML texts as one object. Numbers of JSON stay as they were written. */
import { ComposeError } from "../compose-error.ts";
import { isNestedTooDeep, MAX_DEPTH, NESTED_TOO_DEEP } from "../configs/nesting.ts";
import { readYaml } from "../../kernel/read-yaml.ts";
import { DeepMerge, isMembers, type ArrayMerge } from "./deep-merge.ts";
import { keepNumber } from "./kept-number.ts";
import { scanJson } from "./scan-json.ts";
import { ValueBudget } from "./value-budget.ts";
import { writeData } from "./write-data.ts";

export interface DataText {
  readonly content_id: string;
  readonly text: string;
  readonly format: string;
}

export interface DataMerge {
  readonly format: "json" | "yaml";
  readonly arrays: ArrayMerge;
  readonly maxBytes: number;
}

const fail = (id: string, why: string): ComposeError =>
  new ComposeError("assembly_failed", `The text of "${id}" cannot be merged: ${why}.`, { content_id: id });

const readJson = ({ content_id: id, text }: DataText, budget: ValueBudget): unknown => {
  const { values, depth, hasOddNumbers } = scanJson(text);
  budget.spend(values);
  // Reading with `keepNumber` takes a level of the stack for each of the text, and many times as long.
  if (depth > MAX_DEPTH) throw fail(id, NESTED_TOO_DEEP);
  try {
    return hasOddNumbers ? JSON.parse(text, keepNumber) : JSON.parse(text);
  } catch (error) {
    throw fail(id, `it is no JSON (${(error as Error).message.slice(0, 200)})`);
  }
};

const readYamlText = async ({ content_id: id, text }: DataText, budget: ValueBudget): Promise<unknown> => {
  const { value, broken, faults } = await readYaml(text);
  const fault = broken ?? faults[0];
  if (fault !== undefined) throw fail(id, `line ${fault.line}: ${fault.pointer} ${fault.message}`);
  if (isNestedTooDeep(value)) throw fail(id, NESTED_TOO_DEEP);
  budget.spendOn(value);
  return value;
};

/** As it is merged into an output of the format. ComposeError `assembly_failed`: it cannot be. */
export const readData = async (text: DataText, format: DataMerge["format"], budget: ValueBudget): Promise<unknown> => {
  const isJson = format === "json" && text.format !== "yaml";
  const value = isJson ? readJson(text, budget) : await readYamlText(text, budget);
  if (!isMembers(value)) throw fail(text.content_id, "it is no object");
  return value;
};

export const mergeData = async (texts: readonly DataText[], merge: DataMerge): Promise<string> => {
  const { format, arrays, maxBytes } = merge;
  const merged = new DeepMerge(arrays);
  const budget = new ValueBudget();
  for (const each of texts) merged.add(await readData(each, format, budget));
  return writeData(merged.value(), { format, maxBytes });
};
