/** What docs/compose.md says in its tables is what the code does. Its commands are run elsewhere. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseConfig } from "@bailiwick/contract";
import { describe, expect, it } from "vitest";
import { COMPOSE_CODES } from "../compose/compose-error.ts";
import { BUILT_IN_GENERATORS } from "../compose/generators/built-in-generators.ts";
import { SELECTION_RULES } from "../compose/generators/select-generator.ts";
import { renderTemplate } from "../compose/jinja/render-template.ts";
import { TemplateError } from "../compose/jinja/template-error.ts";
import { QUEUE_LIMITS } from "../compose/queue.ts";

const read = (path: string): string =>
  readFileSync(fileURLToPath(new URL(`../../../${path}`, import.meta.url)), "utf8");
const PAGE = read("docs/compose.md");

/** The rows of the table that begins with this cell. */
const table = (head: string): readonly (readonly string[])[] => {
  const lines = PAGE.split("\n");
  const from = lines.findIndex((line) => line.startsWith(`| ${head} |`));
  const to = lines.findIndex((line, at) => at > from && !line.startsWith("|"));
  return lines.slice(from + 2, to).map((line) =>
    line
      .slice(1, -1)
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim().replaceAll("\\|", "|")),
  );
};
const code = (cell = ""): string => /^`(.*?)`/.exec(cell)?.[1] ?? cell;

/** As a config or a caller would have it parsed. */
const CONTEXT = JSON.parse('{"one":1.0,"big":12345678901234567890,"keys":{"b":1,"10":2,"9":3},"n":7}') as Readonly<
  Record<string, unknown>
>;
const INCLUDED: Readonly<Record<string, string>> = { f: "ab" };

const render = (text: string, context = CONTEXT, files = INCLUDED): string => {
  try {
    const limits = { fuel: 1_000_000, maxBytes: 10_000_000 };
    return renderTemplate({ text, context, load: (name) => files[name] ?? null, limits });
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    return `fails: ${error.message}`;
  }
};

describe("what differs from Jinja2", () => {
  it.each(table("template").map(([template, here, there]) => ({ template: code(template), here: here!, there })))(
    "$template gives what the page says",
    ({ template, here, there }) => {
      const failing = /^fails: `(.*)`$/.exec(here);
      if (failing === null) expect(render(template)).toBe(code(here));
      else expect(render(template)).toMatch(/^fails: /);
      expect(render(template)).toContain(failing?.[1] ?? "");
      expect(there).not.toBe("");
    },
  );

  it("is all of it that the cases taken from Jinja2 show", () => {
    const { cases } = JSON.parse(read("host/test/vectors/bailiwick/jinja2.json")) as {
      readonly cases: readonly {
        template: string;
        context?: object;
        files?: Record<string, string>;
        result?: string;
      }[];
    };
    const others = cases.filter(
      ({ template, context = {}, files = {}, result }) =>
        result !== undefined && render(template, { ...context }, files) !== result,
    );
    // The names in the cases are not those of the page.
    const told = [/\brandom\b/, /lipsum/, /\\N/, /without context.*endfilter/, /for x in .*endfor.*set n = 1/];
    expect(others.filter(({ template }) => !told.some((each) => each.test(template)))).toEqual([]);
    const rows = table("template").map(([template]) => code(template));
    expect(told.filter((each) => !rows.some((row) => each.test(row)))).toEqual([]);
    expect(cases.length).toBeGreaterThan(1_700);
  });
});

describe("docs/compose.md", () => {
  it("has the rules of selection in their order", () => {
    const shown = table("rule").map(([id, , type, confidence]) => [code(id), code(type), confidence]);
    expect(shown).toEqual(
      SELECTION_RULES.map(({ id, type, confidence }) => [
        id,
        type ?? "that one; if there is none, the call fails",
        confidence,
      ]),
    );
  });

  it("has the generators that come with the host", () => {
    expect(table("type").map(([type]) => code(type))).toEqual(BUILT_IN_GENERATORS.map(({ type }) => type));
  });

  it("has the limits as they are", () => {
    const { compose } = parseConfig("{}", { dialect: "bailiwick" }).config!;
    const { atOnce, waiting, longestMs } = QUEUE_LIMITS;
    const shown = new Map(table("limit").map(([name, value]) => [code(name), value]));
    for (const [name, value] of Object.entries(compose.limits)) expect(shown.get(name)).toBe(String(value));
    expect(shown.get("max_concurrent_generations")).toBe(`${atOnce.generation}, ${atOnce.assembly}`);
    expect(shown.get("queue_size")).toBe(String(waiting));
    expect(shown.get("timeout_seconds")).toBe(String(longestMs / 1_000));
  });

  it("has no code that there is not", () => {
    const codes: ReadonlySet<string> = new Set([...COMPOSE_CODES, "approval_pending"]);
    const named = table("code").flatMap(([cell = ""]) =>
      Array.from(cell.matchAll(/`(\w+)`/g), ([, name = ""]) => name),
    );
    expect(named.length).toBeGreaterThan(15);
    expect(named.filter((name) => !codes.has(name))).toEqual([]);
  });
});
