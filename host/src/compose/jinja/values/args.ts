/** Arguments of a call, a filter or a test, and how they meet the names of the parameters. */
import { TemplateError } from "../template-error.ts";
import type { Args, Value } from "./values.ts";

/** The values in the order of the parameters, undefined where not given. A parameter that begins with `!` must be given. */
export const bindArgs = (args: Args, what: string, parameters: readonly string[]): (Value | undefined)[] => {
  if (args.positional.length > parameters.length) {
    throw new TemplateError(
      "runtime",
      `${what} takes at most ${parameters.length} arguments, not ${args.positional.length}`,
    );
  }
  const bound: (Value | undefined)[] = parameters.map((_, at) => args.positional[at]);
  const names = parameters.map((name) => (name.startsWith("!") ? name.slice(1) : name));
  for (const [name, value] of args.named) {
    const at = names.indexOf(name);
    if (at < 0) throw new TemplateError("runtime", `${what} has no argument ${name}`);
    if (bound[at] !== undefined) throw new TemplateError("runtime", `${what} got the argument ${name} twice`);
    bound[at] = value;
  }
  for (const [at, name] of parameters.entries()) {
    if (name.startsWith("!") && bound[at] === undefined) {
      throw new TemplateError("runtime", `${what} needs the argument ${names[at]}`);
    }
  }
  return bound;
};
