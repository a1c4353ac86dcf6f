/**
 * Makes a validator pay for its work: each keyword that can repeat or multiply it is charged before it is done, wherever in a
 * schema it stands. What is not charged (a type, a bound) is no more than a step of what is.
 */
import { createRequire } from "node:module";
import type { Ajv, Code, CodeKeywordDefinition, KeywordCxt } from "ajv";
import { spend } from "./check-work.ts";

type Charge = (context: KeywordCxt) => Code;

const require = createRequire(import.meta.url);

/** Entries of a keyword's value, and of the lists in it. */
const entriesOf = (value: unknown): number => {
  if (typeof value !== "object" || value === null) return 1;
  const inner = Object.values(value).map((each) => (Array.isArray(each) ? each.length : 1));
  return inner.reduce((sum, each) => sum + each, 0);
};

const nodesOf = (value: unknown): number => {
  if (typeof value !== "object" || value === null) return 1;
  return Object.values(value).reduce<number>((sum, each) => sum + nodesOf(each), 1);
};

const spendMembers = (data: object): void => spend(1 + (Object.keys(data).length >> 4));

const createCharges = (): ReadonlyMap<string, Charge> => {
  const { _ } = require("ajv") as typeof import("ajv");
  const { default: names } = require("ajv/dist/compile/names.js") as typeof import("ajv/dist/compile/names.js");
  const paid = ({ gen }: KeywordCxt, ref: (units: never) => void): Code => _`${gen.scopeValue("func", { ref })}`;
  /** The errors of branches that fail are gathered, and copied at each reference. */
  const branches =
    (width: (schema: unknown) => number): Charge =>
    (context) =>
      _`${paid(context, spend)}(${4 + 4 * width(context.schema)} + (${names.errors} >> 3))`;
  const fixed =
    (width: (schema: unknown) => number): Charge =>
    (context) =>
      _`${paid(context, spend)}(${1 + (width(context.schema) >> 4)})`;
  const items: Charge = (context) => _`${paid(context, spend)}(1 + (${context.data}.length >> 4))`;
  const members: Charge = (context) => _`${paid(context, spendMembers)}(${context.data})`;
  const text: Charge = (context) => _`${paid(context, spend)}(${context.data}.length >> 6)`;
  /** Each item that fails leaves an error. */
  const contains: Charge = (context) => _`${paid(context, spend)}(1 + ${context.data}.length * 4)`;
  const each = (charge: Charge, ...keywords: string[]): [string, Charge][] => keywords.map((word) => [word, charge]);
  return new Map([
    ...each(
      branches(() => 1),
      "$ref",
      "$dynamicRef",
      "not",
      "if",
    ),
    ...each(branches(entriesOf), "allOf", "anyOf", "oneOf"),
    ...each(fixed(entriesOf), "properties", "required", "dependentRequired", "dependentSchemas", "dependencies"),
    ...each(fixed(nodesOf), "enum", "const"),
    ...each(items, "items", "prefixItems", "additionalItems", "unevaluatedItems"),
    ...each(members, "patternProperties", "additionalProperties", "propertyNames", "unevaluatedProperties"),
    ...each(members, "minProperties", "maxProperties"),
    ...each(text, "minLength", "maxLength"),
    ["contains", contains],
  ]);
};

/** In place. Patterns and `uniqueItems` are none of these: they pay by themselves. */
export const meterKeywords = (engine: Ajv): Ajv => {
  for (const [keyword, charge] of createCharges()) {
    const rule = engine.RULES.all[keyword];
    if (typeof rule !== "object") continue;
    const definition = rule.definition as { code: CodeKeywordDefinition["code"] };
    const { code } = definition;
    definition.code = (context, type) => {
      context.gen.code(charge(context));
      code(context, type);
    };
  }
  return engine;
};
