import { afterAll, describe, expect, it } from "vitest";
import type { Models } from "../../kernel/model.ts";
import type { Config } from "@bailiwick/contract";
import type { ContentConfig } from "../configs/config-types.ts";
import { contentConfig, patternConfig } from "../configs/configs-for-tests.ts";
import { createCodeGeneration } from "../generators/code-generation.ts";
import { openPlugins, type PluginPlace } from "../plugins/plugins-for-tests.ts";
import type { GeneratorBook, GeneratorOrder, GeneratorResult, RootedFiles } from "../workbench.ts";
import { createGeneratorBook } from "./create-generator-book.ts";
import { createRenderer } from "./create-renderer.ts";
import { gatherTemplates } from "./gather-templates.ts";

const { render, close } = createRenderer();
afterAll(close);

/** A model that writes what it is told, as far as a registry of generators sees one. */
const modelsThat = (writes: string, configured: () => boolean): Models => ({
  defaultModel: "m",
  unconfigured: () => (configured() ? null : "There is no key."),
  windowOf: () => 1_000,
  costOf: () => 0.25,
  async *call({ model }) {
    yield { type: "text", text: writes };
    const usage = { inputTokens: 3, outputTokens: 4, cacheReadTokens: 0, cacheCreationTokens: 0, estimated: false };
    yield { type: "done", finish: "stop", usage, model };
  },
});

interface Place extends PluginPlace {
  readonly book: GeneratorBook;
  readonly run: (type: string, config: ContentConfig, over?: Partial<GeneratorOrder>) => Promise<GeneratorResult>;
  /** Names that are set. */
  readonly set: Set<string>;
}

const FILES: Readonly<Record<string, string>> = {
  "templates/part.md": "part {{ who }}",
  "part2.md": "not below templates",
};
const rooted: Pick<RootedFiles, "read" | "template"> = {
  read: (path) => Promise.resolve(FILES[path] ?? null),
  template: (name) => Promise.resolve(FILES[`templates/${name}`] ?? FILES[name] ?? null),
};

const openBook = (max_content_size_bytes = 1_000): Place => {
  const set = new Set<string>();
  const place = openPlugins();
  const credentials = { has: (name: string) => set.has(name) };
  const codeGeneration = createCodeGeneration({
    models: modelsThat("```js\n1;\n```", () => set.has("ANTHROPIC_API_KEY")),
    config: { model: { provider: "anthropic" }, providers: {}, compose: { codeGeneration: {} } } as unknown as Config,
  });
  const book = createGeneratorBook({
    plugins: place.plugins,
    codeGeneration,
    credentialsOf: (type) => (type === "code_generation" ? codeGeneration.credentials(credentials) : credentials),
    render,
    rooted,
    limits: () => ({ max_content_size_bytes, timeout_seconds: 10 }),
  });
  const run: Place["run"] = async (type, config, over = {}) => {
    const template = config.generation?.patterns?.[0]?.template;
    const none = { text: null, files: new Map<string, string>(), isOpen: false };
    const templates = type === "jinja2" && template !== undefined ? await gatherTemplates(template, rooted) : none;
    return book.run({ type, config, context: {}, templates, run: null, signal: new AbortController().signal, ...over });
  };
  return { ...place, book, run, set };
};

const PLUGIN = (type: string, more = ""): string => `export default {
  type: "${type}", version: "2.1.0", ${more}
  generate: ({ config, pattern, context }) => [config.id, pattern?.template ?? "none", context.who].join(" "),
};`;

const statusOf = ({ book }: Place, type: string): unknown =>
  book.seen().generators.find(({ entry }) => entry.type === type)?.availability;

describe("the registry", () => {
  it("has the built-in ones before anybody looked, and the same object while nothing changes", async () => {
    const { book } = openBook();
    const types = ["jinja2", "template_fill", "demonstration", "bdd_scenario_assembly", "code_generation"];
    expect(book.seen().generators.map(({ entry }) => entry.type)).toEqual(types);
    const seen = await book.look();
    expect(await book.look()).toBe(seen);
    expect(book.seen()).toBe(seen);
  });

  it("sees a plug-in come and go, and one that is rejected", async () => {
    const { book, write, remove } = openBook();
    const before = await book.look();
    write("shout.generator.mjs", PLUGIN("shout"));
    write("jinja2.generator.mjs", PLUGIN("jinja2"));
    const with_ = await book.look();
    expect(with_).not.toBe(before);
    expect(with_.generators.at(-1)).toMatchObject({ entry: { type: "shout", source: "plugin" } });
    expect(with_.generators.length).toBe(6);
    expect(with_.rejected).toMatchObject([{ plugin_path: "jinja2.generator.mjs", reason_code: "type_taken" }]);
    remove("shout.generator.mjs");
    expect((await book.look()).generators.length).toBe(5);
  });

  it("keeps what lacks a credential listed, and sees when it comes", async () => {
    const place = openBook();
    const { book, set, write } = place;
    const needs = `upstream_dependencies: { services: ["s"], credentials_required: ["S_KEY"], optional_services: [],
      expected_latency_ms: {}, stability: "beta", concurrency_safe: true },`;
    write("needy.generator.mjs", PLUGIN("needy", needs));
    const poor = await book.look();
    expect(statusOf(place, "code_generation")).toEqual({
      status: "unavailable",
      reason: "Missing credential: ANTHROPIC_API_KEY",
      missing: ["ANTHROPIC_API_KEY"],
    });
    expect(statusOf(place, "needy")).toMatchObject({ status: "unavailable", missing: ["S_KEY"] });
    await expect(place.run("needy", contentConfig())).rejects.toMatchObject({ code: "missing_credential" });
    set.add("S_KEY").add("ANTHROPIC_API_KEY");
    expect(await book.look()).not.toBe(poor);
    expect(statusOf(place, "code_generation")).toEqual({ status: "available" });
    expect(statusOf(place, "needy")).toEqual({ status: "available" });
    expect((await place.run("needy", contentConfig())).version).toBe("2.1.0");
  });
});

describe("a generator", () => {
  it("is run by its type, with the pattern that is its own", async () => {
    const { run } = openBook();
    const config = contentConfig({
      elements: [{ name: "e", example_output: "example" }],
      generation: {
        patterns: [
          { id: "1", type: "jinja2", template: "{{ who|upper }}" },
          { id: "2", type: "template_fill", template: "Dear {{ who }}" },
          {
            id: "3",
            type: "bdd_scenario_assembly",
            generation_config: { feature: { title: "F" }, scenarios: [{ title: "S", steps: ["Given x"] }] },
          },
          { id: "4", type: "code_generation", specification: "one" },
        ],
      },
    });
    const context = { who: "Ann" };
    const made = { version: "1.0.0", metadata: {} };
    expect(await run("jinja2", config, { context })).toEqual({ ...made, text: "ANN" });
    expect(await run("template_fill", config, { context })).toEqual({ ...made, text: "Dear Ann" });
    expect(await run("demonstration", config, { context })).toEqual({ ...made, text: "example" });
    expect((await run("bdd_scenario_assembly", config, { context })).text).toMatch(/^Feature: F\n/);
    expect(await run("code_generation", config, { context })).toMatchObject({
      text: "1;",
      version: "1.0.0",
      metadata: { model: "anthropic:m", tokens: { input: 3, output: 4 }, cost_usd: 0.25 },
    });
  });

  it("that is a plug-in is given config, pattern and context, and its version is told", async () => {
    const { run, write } = openBook();
    write("shout.generator.mjs", PLUGIN("shout"));
    const config = patternConfig({ type: "shout", template: "T" });
    expect(await run("shout", config, { context: { who: "Ann" } })).toEqual({
      text: "letter T Ann",
      version: "2.1.0",
      metadata: {},
    });
  });

  it("that there is not is refused", async () => {
    await expect(openBook().run("nobody", contentConfig())).rejects.toMatchObject({ code: "generator_not_found" });
  });

  it("does not run for a caller who has gone", async () => {
    const signal = AbortSignal.abort(new Error("gone"));
    await expect(openBook().run("demonstration", contentConfig(), { signal })).rejects.toThrow("gone");
  });

  it.each(["jinja2", "template_fill"])("%s is held to the size", async (type) => {
    const config = patternConfig({ type, template: "{{ text }}" });
    await expect(openBook(10).run(type, config, { context: { text: "x".repeat(11) } })).rejects.toMatchObject({
      code: "content_too_large",
      details: { size: 11, limit: 10 },
    });
  });
});

describe("jinja2", () => {
  const run = (template: string | undefined, context = {}): Promise<GeneratorResult> =>
    openBook().run("jinja2", patternConfig(template === undefined ? {} : { template }), { context });

  it("takes in what lies below templates, by names that are known before and when it runs", async () => {
    const { text } = await run("{% include 'part.md' %} {% include n %}", { who: "Ann", n: "part.md" });
    expect(text).toBe("part Ann part Ann");
  });

  it.each(["part2.md", "../part2.md", "templates/part.md"])("takes in nothing else: %s", async (n) => {
    await expect(run("{% include n %}", { n })).rejects.toThrow(`Template not found: ${n} (line 1)`);
    await expect(run(`{% include '${n}' %}`)).rejects.toThrow(`Template not found: ${n} (line 1)`);
  });

  it("without a template says so", async () => {
    await expect(run(undefined)).rejects.toThrow("Config 'letter' has no template for jinja2");
  });
});
