import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { renderTemplate } from "./render-template.ts";
import { TemplateError, type TemplateFault } from "./template-error.ts";

interface Vector {
  readonly template: string;
  readonly context?: Readonly<Record<string, unknown>>;
  readonly files?: Readonly<Record<string, string>>;
  readonly result?: string;
  readonly error?: { readonly class: string; readonly message?: string; readonly line?: number };
}

const VECTORS = new URL("../../../test/vectors/bailiwick/jinja2.json", import.meta.url);
const { cases } = JSON.parse(readFileSync(VECTORS, "utf8")) as { readonly cases: readonly Vector[] };

/** What differs from Jinja2, and why. */
const DIFFERENCES: ReadonlyMap<string, string> = new Map([
  ["{{ xs|random|int > 0 }}", "a text must come out the same again"],
  ["{{ lipsum(1)|length > 1 }}", "random too"],
  ["{{ '\\N{BULLET}' }}", "needs the names of all characters"],
  [
    "{% filter upper %}{% include 'f' without context %}{% endfilter %}",
    "Jinja2 lets that include slip out of the block around it",
  ],
  [
    "{% for x in xs %}{{ n }}{% endfor %}{% set n = 1 %}",
    "Jinja2 forgets the caller's value in a loop if the name is set further down",
  ],
  ["{{ missing|abs }}", "names the missing variable; Python complains about the type of it"],
  ["{{ missing|round }}", "as before"],
]);

const FAULTS: Readonly<Record<string, readonly TemplateFault[]>> = {
  TemplateSyntaxError: ["syntax"],
  TemplateAssertionError: ["syntax"],
  SyntaxError: ["syntax"],
  UndefinedError: ["undefined"],
  TemplateNotFound: ["not_found"],
  TemplatesNotFound: ["not_found"],
  // What the sandbox of Python must hide is not there at all.
  SecurityError: ["refused", "undefined"],
  OverflowError: ["limit"],
};

const render = ({ template, context = {}, files = {} }: Vector): string =>
  renderTemplate({
    text: template,
    context,
    load: (name) => files[name] ?? null,
    limits: { fuel: 1_000_000, maxBytes: 10_000_000 },
  });

/** Null: as Jinja2 does it. */
const differenceIn = (vector: Vector): string | null => {
  try {
    const got = render(vector);
    return got === vector.result ? null : `${vector.template}: ${JSON.stringify(got)}`;
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    const { error: wanted } = vector;
    const faults = wanted === undefined ? [] : (FAULTS[wanted.class] ?? ["runtime"]);
    const sameLine = wanted?.line === undefined || wanted.line === error.place?.line;
    const sameReason = wanted?.class !== "UndefinedError" || wanted.message === error.reason;
    return faults.includes(error.fault) && sameLine && sameReason ? null : `${vector.template}: ${error.message}`;
  }
};

describe("a template", () => {
  it("gives what Jinja2 gives, text or error, in every case of the table", () => {
    const found = cases.filter(({ template }) => !DIFFERENCES.has(template)).map(differenceIn);
    expect(found.filter((one) => one !== null)).toEqual([]);
    expect(found.length).toBeGreaterThan(1600);
  });

  it.each([...DIFFERENCES])("differs from Jinja2 in %s: %s", (template) => {
    const vector = cases.find((one) => one.template === template);
    expect(vector === undefined ? null : differenceIn(vector)).not.toBeNull();
  });
});
