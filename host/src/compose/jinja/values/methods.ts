/** The methods of values that a template can call. A closed list: none of them changes a value. */
import { bindArgs } from "./args.ts";
import type { Budget } from "./budget.ts";
import { equals } from "./compare.ts";
import { putInto } from "./escape-value.ts";
import { spendKey } from "./spend-key.ts";
import { STRING_METHODS } from "./string-methods.ts";
import { TemplateError } from "../template-error.ts";
import { typeName } from "./type-name.ts";
import { Dict, Entity, type EntityParts, isList, Markup, textOf, Tuple, type Value, View } from "./values.ts";

type Call = NonNullable<EntityParts["call"]>;

const pairsOf = (dict: Dict): Value[] => Array.from(dict.entries(), ([key, value]) => new Tuple([key, value]));

const dictMethod = (dict: Dict, name: string, budget: Budget): Call | null => {
  const view = (label: View["label"], make: () => readonly Value[]): Call => {
    return (args) => {
      bindArgs(args, name, []);
      budget.spend(dict.size);
      return new View(label, make());
    };
  };
  switch (name) {
    case "items":
      return view("dict_items", () => pairsOf(dict));
    case "keys":
      return view("dict_keys", () => dict.keys());
    case "values":
      return view("dict_values", () => dict.values());
    case "copy":
      return (args) => (bindArgs(args, "copy", []), dict);
    case "get":
      return (args) => {
        const [key, fallback] = bindArgs(args, "get", ["!key", "default"]);
        spendKey(key!, budget);
        return dict.get(key!) ?? fallback ?? null;
      };
    default:
      return null;
  }
};

const listMethod = (items: readonly Value[], name: string, budget: Budget): Call | null => {
  if (name === "count") {
    return (args) => {
      const [wanted] = bindArgs(args, "count", ["!value"]);
      budget.spend(items.length / 4);
      return BigInt(items.filter((item) => equals(item, wanted!, budget)).length);
    };
  }
  if (name !== "index") return null;
  return (args) => {
    const [wanted] = bindArgs(args, "index", ["!value"]);
    budget.spend(items.length / 4);
    const at = items.findIndex((item) => equals(item, wanted!, budget));
    if (at < 0) throw new TemplateError("runtime", "the value is not in the list");
    return BigInt(at);
  };
};

/** Parts of markup are markup. */
const marked = (made: Value): Value => {
  if (typeof made === "string") return new Markup(made);
  if (made instanceof Tuple) return new Tuple(made.items.map(marked));
  return isList(made) ? made.map(marked) : made;
};

const stringMethod = (of: Value, name: string, budget: Budget): Call | null => {
  const method = STRING_METHODS.get(name);
  if (method === undefined) return null;
  return (args) => {
    const text = textOf(of)!;
    budget.spendWork(text.length);
    const made = method(text, args, { budget, put: putInto(of, budget) });
    if (typeof made === "string") budget.spendText(made.length);
    return of instanceof Markup ? marked(made) : made;
  };
};

const callOf = (of: Value, name: string, budget: Budget): Call | null => {
  if (textOf(of) !== null) return stringMethod(of, name, budget);
  if (of instanceof Dict) return dictMethod(of, name, budget);
  if (isList(of)) return listMethod(of, name, budget);
  if (of instanceof Tuple) return listMethod(of.items, name, budget);
  if (typeof of === "number" && name === "is_integer") return () => Number.isInteger(of);
  return null;
};

export const methodOf = (of: Value, name: string, budget: Budget): Entity | undefined => {
  const call = callOf(of, name, budget);
  if (call === null) return undefined;
  const print = (): string => `<built-in method ${name} of ${typeName(of)} object>`;
  return new Entity({ type: "builtin_function_or_method", print, call });
};
