/** The functions that every template has: range, dict, namespace, cycler, joiner. */
import { bindArgs } from "../values/args.ts";
import type { Budget } from "../values/budget.ts";
import { iterate, listOf } from "../values/iterate.ts";
import { reprValue } from "../values/print-value.ts";
import { spendKey } from "../values/spend-key.ts";
import { TemplateError } from "../template-error.ts";
import { type Args, Dict, Entity, Namespace, numberOf, Range, textOf, Tuple, type Value } from "../values/values.ts";

const MAX_RANGE = 100_000;

const makeRange = (args: Args): Range => {
  const given = bindArgs(args, "range", ["!start", "stop", "step"]).map((value) => {
    const number = value === undefined ? null : numberOf(value);
    if (value !== undefined && typeof number !== "bigint")
      throw new TemplateError("runtime", "range needs whole numbers");
    return number === null ? null : Number(number);
  });
  const [first, second = null, step = null] = given;
  if (step === 0) throw new TemplateError("runtime", "the step of range must not be zero");
  const range = second === null ? new Range(0, first!, 1) : new Range(first!, second, step ?? 1);
  if (range.length > MAX_RANGE) throw new TemplateError("limit", `a range is larger than ${MAX_RANGE}`);
  return range;
};

/** A mapping or pairs, then the named arguments. */
const makeDict = (args: Args, budget: Budget): Dict => {
  const dict = new Dict();
  const [from, ...more] = args.positional;
  if (more.length > 0) throw new TemplateError("runtime", "dict takes at most one argument without a name");
  budget.spend(args.named.size + (from instanceof Dict ? from.size : 0));
  if (from instanceof Dict) for (const [key, value] of from.entries()) dict.set(key, value);
  else if (from !== undefined) {
    for (const pair of iterate(from, budget)) {
      const [key, value, ...rest] = listOf(pair, budget);
      if (key === undefined || value === undefined || rest.length > 0) {
        throw new TemplateError("runtime", "dict needs pairs of a key and a value");
      }
      spendKey(key, budget);
      dict.set(key, value);
    }
  }
  for (const [name, value] of args.named) dict.set(name, value);
  return dict;
};

const makeNamespace = (args: Args, budget: Budget): Namespace => {
  const members = new Map<string, Value>();
  const given = makeDict(args, budget);
  budget.spend(given.size);
  for (const [key, value] of given.entries()) members.set(textOf(key) ?? reprValue(key, budget), value);
  return new Namespace(members);
};

const method = (name: string, call: () => Value): Entity =>
  new Entity({
    type: "method",
    print: () => `<bound method ${name}>`,
    call: (args) => (bindArgs(args, name, []), call()),
  });

const makeCycler = (args: Args): Entity => {
  const items = args.positional;
  if (items.length === 0) throw new TemplateError("runtime", "at least one item has to be provided");
  let at = 0;
  const members: Readonly<Record<string, () => Value>> = {
    items: () => new Tuple(items),
    pos: () => BigInt(at),
    current: () => items[at]!,
    reset: () => method("reset", () => ((at = 0), null)),
    next: () =>
      method("next", () => {
        const item = items[at]!;
        at = (at + 1) % items.length;
        return item;
      }),
  };
  const member = (name: string): Value | undefined => (Object.hasOwn(members, name) ? members[name]!() : undefined);
  return new Entity({ type: "Cycler", print: () => "<Cycler>", member });
};

const makeJoiner = (args: Args): Entity => {
  const [sep] = bindArgs(args, "joiner", ["sep"]);
  let used = false;
  const call = (): Value => {
    if (used) return sep ?? ", ";
    used = true;
    return "";
  };
  return new Entity({ type: "Joiner", print: () => "<Joiner>", call });
};

/** A new map each time: what one rendering makes is none of another's business. */
export const makeGlobals = (budget: Budget): Map<string, Value> => {
  const type = (name: string, call: (args: Args) => Value, path = name): [string, Value] => [
    name,
    new Entity({ type: "type", print: () => `<class '${path}'>`, call }),
  ];
  return new Map([
    type("range", makeRange),
    type("dict", (args) => makeDict(args, budget)),
    type("namespace", (args) => makeNamespace(args, budget), "jinja2.utils.Namespace"),
    type("cycler", makeCycler, "jinja2.utils.Cycler"),
    type("joiner", makeJoiner, "jinja2.utils.Joiner"),
  ]);
};
