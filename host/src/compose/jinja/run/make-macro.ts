/** A macro, or the body of a call block: something to call that gives text. */
import { evaluate } from "./evaluate.ts";
import type { Frame } from "./frame.ts";
import type { Body, MacroParts } from "../parse/nodes.ts";
import { Scope } from "./scope.ts";
import { TemplateError } from "../template-error.ts";
import { type Args, Dict, Entity, Tuple, Undefined, type Value } from "../values/values.ts";

/** Passed in, since a body may hold macros. */
export type RenderBody = (body: Body, frame: Frame) => string;

const SPECIAL = ["caller", "kwargs", "varargs"] as const;

const fail = (macro: MacroParts, what: string): TemplateError =>
  new TemplateError("runtime", `macro ${macro.name === null ? "None" : `'${macro.name}'`} ${what}`);

/** What is given beyond the parameters, for the names that the macro takes without declaring them. */
const bindRest = (macro: MacroParts, named: Map<string, Value>, rest: readonly Value[]): Map<string, Value> => {
  const bound = new Map<string, Value>();
  const { uses, parameters } = macro;
  if (uses.caller && !parameters.includes("caller")) {
    bound.set("caller", named.get("caller") ?? new Undefined("No caller defined"));
    named.delete("caller");
  }
  if (uses.kwargs) {
    const dict = new Dict();
    for (const [name, value] of named) dict.set(name, value);
    bound.set("kwargs", dict);
  } else if (named.size > 0) throw fail(macro, `takes no keyword argument '${[...named.keys()][0]}'`);
  if (uses.varargs) bound.set("varargs", new Tuple(rest));
  else if (rest.length > 0) throw fail(macro, `takes not more than ${parameters.length} argument(s)`);
  return bound;
};

const bind = (macro: MacroParts, args: Args, frame: Frame): void => {
  const { names } = frame.scope;
  // The names are copied once, and once more for those that take all of them.
  frame.engine.budget.spend(macro.parameters.length + args.positional.length + 2 * args.named.size);
  const named = new Map(args.named);
  const { parameters, defaults } = macro;
  for (const [at, name] of parameters.entries()) {
    const positional = args.positional[at];
    if (positional !== undefined) {
      if (named.has(name)) throw fail(macro, `got multiple values for argument '${name}'`);
      names.set(name, positional);
      continue;
    }
    const given = named.get(name);
    named.delete(name);
    const fallback = defaults[at - (parameters.length - defaults.length)];
    names.set(name, given ?? new Undefined(`parameter '${name}' was not provided`));
    if (given === undefined && fallback !== undefined) names.set(name, evaluate(fallback, frame));
  }
  const rest = args.positional.slice(parameters.length);
  for (const [name, value] of bindRest(macro, named, rest)) names.set(name, value);
};

export const makeMacro = (macro: MacroParts, frame: Frame, renderBody: RenderBody): Entity => {
  const call = (args: Args): Value => {
    const { engine } = frame;
    const { line, template } = engine;
    const called: Frame = { ...frame, scope: new Scope(frame.scope) };
    bind(macro, args, called);
    const text = renderBody(macro.body, called);
    engine.line = line;
    engine.template = template;
    return text;
  };
  const members = new Map<string, Value>([
    ["name", macro.name],
    ["arguments", new Tuple(macro.parameters)],
    ...SPECIAL.map((name): [string, Value] => [name === "caller" ? name : `catch_${name}`, macro.uses[name]]),
  ]);
  const print = (): string => (macro.name === null ? "<Macro anonymous>" : `<Macro '${macro.name}'>`);
  return new Entity({ type: "Macro", print, member: (name) => members.get(name), call });
};
