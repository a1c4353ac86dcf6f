/**
 * Jinja2 over plain JSON, without a way out: no code is made, no object of the caller's is handed over, and steps, depth and text
 * are counted. Reads nothing itself: other templates come through `load`. Synchronous and pure; throws only TemplateError.
 */
import { Budget } from "./values/budget.ts";
import { Engine, KNOWN_NAMES, type LoadTemplate } from "./run/engine.ts";
import { executeBody } from "./run/execute.ts";
import { fromJson } from "./values/from-json.ts";
import { makeGlobals } from "./run/globals.ts";
import { parseTemplate } from "./parse/parse-template.ts";
import { renderUnit } from "./run/render-unit.ts";
import { Scope } from "./run/scope.ts";
import { TemplateError } from "./template-error.ts";

export interface TemplateLimits {
  /** Steps of the evaluation; text costs by its length. */
  readonly fuel: number;
  /** Bytes of the result in UTF-8. */
  readonly maxBytes: number;
}

export interface TemplateInput {
  readonly text: string;
  readonly context: Readonly<Record<string, unknown>>;
  readonly load: LoadTemplate;
  readonly limits: TemplateLimits;
}

const contextScope = (context: TemplateInput["context"], budget: Budget): Scope => {
  const scope = new Scope(new Scope(null, makeGlobals(budget)));
  for (const [name, json] of Object.entries(context)) {
    const value = fromJson(json, budget);
    if (value !== undefined) scope.names.set(name, value);
  }
  return scope;
};

const render = ({ text, context, limits }: TemplateInput, engine: Engine): string => {
  const template = parseTemplate({ name: null, text }, KNOWN_NAMES);
  const rendered = renderUnit({ engine, template, around: contextScope(context, engine.budget) }, executeBody);
  if (Buffer.byteLength(rendered.text) > limits.maxBytes) {
    throw new TemplateError("limit", `the result is larger than ${limits.maxBytes} bytes`);
  }
  return rendered.text;
};

export const renderTemplate = (input: TemplateInput): string => {
  const engine = new Engine(new Budget(input.limits.fuel, input.limits.maxBytes), input.load);
  try {
    return render(input, engine);
  } catch (error) {
    const place = { line: engine.line, template: engine.template };
    if (error instanceof TemplateError) throw error.at(place);
    // The stack of a worker may be smaller than the depth that is counted.
    if (error instanceof RangeError) throw new TemplateError("limit", "it is nested too deeply", place);
    throw error;
  }
};
