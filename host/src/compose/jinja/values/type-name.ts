/** The name that Python gives to a value's type. */
import {
  Dict,
  type Entity,
  isList,
  Markup,
  Namespace,
  Range,
  Stream,
  Tuple,
  Undefined,
  type Value,
  View,
} from "./values.ts";

export const typeName = (value: Value): string => {
  if (value === null) return "NoneType";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "bigint") return "int";
  if (typeof value === "number") return "float";
  if (typeof value === "string") return "str";
  if (isList(value)) return "list";
  if (value instanceof Dict) return "dict";
  if (value instanceof Tuple) return "tuple";
  if (value instanceof Markup) return "Markup";
  if (value instanceof Undefined) return "Undefined";
  if (value instanceof Range) return "range";
  if (value instanceof Stream) return "generator";
  if (value instanceof View) return value.label;
  return value instanceof Namespace ? "Namespace" : (value satisfies Entity).type;
};

const OWN_MODULES: ReadonlyMap<string, string> = new Map([
  ["Markup", "markupsafe.Markup"],
  ["Namespace", "jinja2.utils.Namespace"],
  ["Cycler", "jinja2.utils.Cycler"],
  ["Joiner", "jinja2.utils.Joiner"],
  ["Macro", "jinja2.runtime.Macro"],
  ["LoopContext", "jinja2.runtime.LoopContext"],
  ["TemplateReference", "jinja2.runtime.TemplateReference"],
  ["BlockReference", "jinja2.runtime.BlockReference"],
  ["TemplateModule", "jinja2.environment.TemplateModule"],
]);

/** How messages about a missing member name the thing that lacks it. */
export const objectName = (value: Value): string => {
  if (value === null) return "None";
  const name = typeName(value);
  return `${OWN_MODULES.get(name) ?? name} object`;
};
