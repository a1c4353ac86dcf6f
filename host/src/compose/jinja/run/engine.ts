/** What one rendering shares: its budget, the filters and tests, the templates it has loaded. */
import type { Budget } from "../values/budget.ts";
import { FILTERS } from "../filters/filters.ts";
import type { Runtime } from "../filters/runtime.ts";
import type { Template } from "../parse/nodes.ts";
import { parseTemplate } from "../parse/parse-template.ts";
import { TemplateError } from "../template-error.ts";
import { type Args, type Value } from "../values/values.ts";
import { VALUE_TESTS } from "../filters/value-tests.ts";

/** The text of a template by its name below the folder of templates; null: there is none. */
export type LoadTemplate = (name: string) => string | null;

export const KNOWN_NAMES = { filters: new Set(FILTERS.keys()), tests: new Set(VALUE_TESTS.keys()) };

/** Only plain names and folders: nothing that leads out of the folder of templates. */
const isPlainName = (name: string): boolean =>
  !/[\\\0:]/.test(name) && name.split("/").every((part) => part !== "" && part !== "." && part !== "..");

export class Engine implements Runtime {
  readonly budget: Budget;
  readonly #load: LoadTemplate;
  readonly #loaded = new Map<string, Template>();
  /** The line and the template that is being worked on, for messages. */
  line = 1;
  template: string | null = null;

  constructor(budget: Budget, load: LoadTemplate) {
    this.budget = budget;
    this.#load = load;
  }

  filter(name: string, value: Value, args: Args): Value {
    const filter = FILTERS.get(name);
    if (filter === undefined) throw new TemplateError("runtime", `No filter named '${name}' found.`);
    return filter(value, args, this);
  }

  test(name: string, value: Value, args: Args): boolean {
    const test = VALUE_TESTS.get(name);
    if (test === undefined) throw new TemplateError("runtime", `No test named '${name}' found.`);
    return test(value, args, this);
  }

  knows(kind: "filter" | "test", name: string): boolean {
    return kind === "filter" ? FILTERS.has(name) : VALUE_TESTS.has(name);
  }

  /** Null: there is none of that name. */
  find(name: string): Template | null {
    this.budget.spendText(name.length);
    const known = this.#loaded.get(name);
    if (known !== undefined) return known;
    const text = isPlainName(name) ? this.#load(name) : null;
    if (text === null) return null;
    this.budget.spendText(text.length);
    const template = parseTemplate({ name, text }, KNOWN_NAMES);
    this.#loaded.set(name, template);
    return template;
  }
}
