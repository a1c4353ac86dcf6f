/** The keyword `uniqueItems` in linear time: the validator's own compares each item with each. */
import type { FuncKeywordDefinition, SchemaValidateFunction } from "ajv";
import { jcs } from "../../kernel/jcs.ts";
import { spend } from "./check-work.ts";

const validate: SchemaValidateFunction = (isOn: boolean, items: readonly unknown[]): boolean => {
  if (!isOn) return true;
  const seen = new Map<string, number>();
  for (const [i, item] of items.entries()) {
    const text = jcs(item);
    spend(1 + (text.length >> 6));
    const earlier = seen.get(text);
    if (earlier !== undefined) {
      const message = `must NOT have duplicate items (items ## ${earlier} and ${i} are identical)`;
      validate.errors = [{ keyword: "uniqueItems", message, params: { i, j: earlier } }];
      return false;
    }
    seen.set(text, i);
  }
  return true;
};

export const UNIQUE_ITEMS: FuncKeywordDefinition = {
  keyword: "uniqueItems",
  type: "array",
  schemaType: "boolean",
  validate,
};
