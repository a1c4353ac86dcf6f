/** Code that a model writes, over both wires, against a stub that speaks them. */
import { describe, expect, test } from "vitest";
import { configOf, KEY, OTHER_KEY, startModels } from "../agent/model/models-for-tests.ts";
import { createModels } from "../agent/model/create-models.ts";
import type { ModelStub } from "../agent/model/model-stub-for-tests.ts";
import { ComposeError } from "../compose/compose-error.ts";
import { patternConfig } from "../compose/configs/configs-for-tests.ts";
import { choosePattern } from "../compose/generators/choose-pattern.ts";
import { createCodeGeneration, type CodeMade, type CodeOrder } from "../compose/generators/code-generation.ts";
import type { CodeGenerationConfig } from "../compose/generators/code-generation-provider.ts";
import type { Models } from "../kernel/model.ts";

const SONNET = "claude-sonnet-4-5-20250929";
const CODE = "```python\nprint(1)\n```";

const configured = (provider?: string, over: Partial<CodeGenerationConfig> = {}): CodeGenerationConfig => ({
  ...configOf({}),
  compose: { limits: {} as never, codeGeneration: provider === undefined ? {} : { provider } },
  ...over,
});

interface Asked {
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly specification?: string | null;
  readonly order?: Partial<CodeOrder>;
  readonly config?: CodeGenerationConfig;
}

const orderOf = ({ settings = {}, specification = "Print one.", order = {} }: Asked): CodeOrder => {
  const config = patternConfig({
    type: "code_generation",
    ...(specification === null ? {} : { specification }),
    generation_config: settings,
  });
  const pattern = choosePattern(config, "code_generation");
  const { signal } = new AbortController();
  return { config, pattern, context: {}, maxBytes: 100_000, run: null, signal, ...order };
};

const generate = (models: Models, asked: Asked = {}): Promise<CodeMade> =>
  createCodeGeneration({ models, config: asked.config ?? configured() }).generate(orderOf(asked));

const refused = async (work: Promise<unknown>): Promise<ComposeError> => {
  const error: unknown = await work.then(
    (value) => new Error(`it gave ${JSON.stringify(value)}`),
    (caught: unknown) => caught,
  );
  if (error instanceof ComposeError) return error;
  throw error;
};

const start = async (...turns: Parameters<ModelStub["script"]>): ReturnType<typeof startModels> => {
  const started = await startModels();
  started.stub.script(...turns);
  return started;
};

const overloaded = { error: { status: 529, type: "overloaded_error", message: "busy" } } as const;

describe("a specification", () => {
  test("becomes code, with model, tokens and attempts told", async () => {
    const { models, stub } = await start([{ text: ["Here:\n", CODE], usage: { input: 21, output: 7 } }]);
    expect(await generate(models, { settings: { language: "python" } })).toEqual({
      text: "print(1)",
      metadata: { model: `anthropic:${SONNET}`, attempts: 1, tokens: { input: 21, output: 7 } },
    });
    expect(stub.requests()[0]).toMatchObject({
      wire: "anthropic",
      body: { model: SONNET, temperature: 0, max_tokens: 4096 },
      last: "Print one.\n\nWrite it in python.",
      tools: [],
    });
    expect(stub.requests()[0]!.system).toContain("You write source code");
  });

  test("is sent with all that the config says", async () => {
    const { models, stub } = await start([{ text: CODE }]);
    const settings = {
      model: "claude-haiku-4-5",
      temperature: 0.5,
      max_tokens: 99,
      language: "python",
      style_hints: ["short names", "no classes"],
      system_prompt: "You are terse.",
    };
    await generate(models, { settings });
    expect(stub.requests()[0]).toMatchObject({
      body: { model: "claude-haiku-4-5", temperature: 0.5, max_tokens: 99 },
      system: "You are terse.",
      last: "Print one.\n\nWrite it in python.\n\nStyle:\n- short names\n- no classes",
    });
  });

  test("may be the prompt of its settings, and has its placeholders filled and nothing else changed", async () => {
    const { models, stub } = await start([{ text: CODE, forever: true }]);
    const specification = "Print {{ what }} and {{ no.such }} with '\\n' {{ what|upper }}";
    await generate(models, { specification, order: { context: { what: "$& \\t" } } });
    await generate(models, { specification: null, settings: { prompt: "From the alias." } });
    expect(stub.requests().map(({ last }) => last)).toEqual([
      "Print $& \\t and {{ no.such }} with '\\n' {{ what|upper }}",
      "From the alias.",
    ]);
  });

  test("that is not there is missed before anything is sent", async () => {
    const { models, stub } = await start([{ text: CODE, forever: true }]);
    for (const specification of [null, " "])
      expect((await refused(generate(models, { specification }))).message).toBe(
        "Config 'letter' has no specification for code_generation",
      );
    expect(stub.requests()).toEqual([]);
  });

  test.each([
    ["temperature", "hot"],
    ["temperature", 3],
    ["max_tokens", 0],
    ["max_tokens", 1.5],
    ["language", 7],
    ["language", "py\nIgnore"],
    ["style_hints", "short"],
    ["style_hints", [1]],
    ["system_prompt", {}],
    ["retry_count", -1],
    ["retry_delay", 61],
    ["fallback_template", 1],
    ["model", []],
  ])("with %s %j is refused before anything is sent", async (key, value) => {
    const { models, stub } = await start([{ text: CODE, forever: true }]);
    const error = await refused(generate(models, { settings: { [key]: value } }));
    expect(error).toMatchObject({ code: "generation_failed" });
    expect(error.message).toContain(`generation_config.${key} must be`);
    expect(stub.requests()).toEqual([]);
  });
});

describe("a model that fails", () => {
  const quick = { retry_delay: 0.001 };

  test("is tried again where that may help", async () => {
    const { models, stub } = await start([
      overloaded,
      { error: { status: 429, type: "rate_limit_error" } },
      { error: "reset" },
      { text: CODE },
    ]);
    expect(await generate(models, { settings: quick })).toMatchObject({ text: "print(1)", metadata: { attempts: 4 } });
    expect(stub.requests().length).toBe(4);
  });

  test("is tried as often as the config says, then told", async () => {
    const { models, stub } = await start([{ ...overloaded, forever: true }]);
    const error = await refused(generate(models, { settings: { ...quick, retry_count: 2 } }));
    expect(error).toMatchObject({ code: "generation_failed", details: { attempts: 3, reason: "overloaded" } });
    expect(error.message).toContain('The model provider "anthropic"');
    expect(stub.requests().length).toBe(3);
  });

  test("is not tried again where it cannot help, and its key is not told", async () => {
    const { models, stub } = await start([{ error: { status: 401, type: "authentication_error", message: KEY } }]);
    const error = await refused(generate(models, { settings: quick }));
    expect(error.details).toMatchObject({ reason: "refused", attempts: 1 });
    expect(JSON.stringify([error.message, error.details])).not.toContain(KEY);
    expect(stub.requests().length).toBe(1);
  });

  test("gives way to the fallback, which is marked", async () => {
    const { models } = await start([{ ...overloaded, forever: true }]);
    const settings = { ...quick, retry_count: 0, fallback_template: "# TODO: {{ what }}\\n" };
    const made = await generate(models, { settings, order: { context: { what: "one" } } });
    expect(made).toMatchObject({
      text: "# TODO: one\n",
      metadata: { fallback: true, attempts: 1, fallback_reason: expect.stringContaining('"anthropic"') },
    });
    expect(made.metadata).not.toHaveProperty("reason");
    expect((await refused(generate(models, { settings }))).message).toContain("Undefined variable: 'what'");
  });

  test.each([
    ["is cut", { text: "```python\nprint(", finish: "length" }, "cut at 4096 tokens"],
    ["refuses", { text: "", finish: "content-filter" }, "refused to write this"],
    ["says nothing", { text: "  " }, "wrote nothing"],
    ["writes an empty block", { text: "```python\n```" }, "wrote nothing"],
  ])("by an answer that %s is a failure", async (_, turn, why) => {
    const { models } = await start([turn]);
    const error = await refused(generate(models));
    expect(error.code).toBe("generation_failed");
    expect(error.message).toContain(why);
  });

  test("to keep to the size is stopped", async () => {
    const { models } = await start([{ text: Array.from({ length: 50 }, () => "x".repeat(100)) }]);
    expect(await refused(generate(models, { order: { maxBytes: 1_000 } }))).toMatchObject({
      code: "content_too_large",
      details: { limit: 1_000 },
    });
  });

  test("to answer is left when the caller goes, also between two attempts", async () => {
    const { models, stub } = await start([{ error: "hang" }, { ...overloaded, forever: true }]);
    for (const count of [1, 2]) {
      const stop = new AbortController();
      const settings = { retry_delay: 60, fallback_template: "x" };
      const work = generate(models, { settings, order: { signal: stop.signal } });
      await stub.arrived(count);
      stop.abort(new Error("gone"));
      await expect(work).rejects.toThrow("gone");
    }
    expect(stub.requests().length).toBe(2);
  });
});

describe("the model provider", () => {
  const local = { type: "openai-compatible", baseURL: "http://127.0.0.1:9/v1", headers: {} } as const;

  test("is that of the configuration, whose name and variable are shown", async () => {
    const { models, stub } = await start([{ text: CODE }]);
    const config = configured("local", { providers: { local: { ...local, apiKey: "${env:LOCAL}" } } });
    await generate(models, { config, settings: { model: "some-model" } });
    expect(stub.requests()[0]).toMatchObject({
      wire: "openai",
      body: { model: "some-model" },
      headers: { authorization: `Bearer ${OTHER_KEY}` },
    });
    const { entry } = createCodeGeneration({ models, config });
    expect(entry.requirements).toMatchObject({ dependencies: ["local"], env_vars: ["LOCAL"] });
    expect(entry.upstream_dependencies).toMatchObject({ services: ["local"], credentials_required: ["LOCAL"] });
  });

  test("may need no key", () => {
    const config = configured("local", { providers: { local } });
    const { entry } = createCodeGeneration({
      models: createModels({ config: { ...configOf({}), ...config }, env: {} }),
      config,
    });
    expect(entry.upstream_dependencies?.credentials_required).toEqual([]);
  });

  test("is the only one: a model of another is refused, and a default of another is none", async () => {
    const { models, stub } = await start([{ text: CODE, forever: true }]);
    expect((await refused(generate(models, { settings: { model: "local:x" } }))).message).toContain(
      'names the provider "local", and code is generated through "anthropic"',
    );
    expect((await refused(generate(models, { config: configured("local") }))).message).toContain(
      "name one in generation_config.model",
    );
    expect(stub.requests()).toEqual([]);
  });

  test("without a key is known, and one in the file counts as its variable", async () => {
    const none = { has: () => false };
    const of = (over: Partial<CodeGenerationConfig>) => {
      const config = configured(undefined, over);
      return createCodeGeneration({
        models: createModels({ config: { ...configOf({}), ...config }, env: {} }),
        config,
      });
    };
    const without = of({});
    expect(without.fault()).toContain("set the environment variable ANTHROPIC_API_KEY");
    expect(without.credentials(none).has("ANTHROPIC_API_KEY")).toBe(false);
    expect((await refused(without.generate(orderOf({})))).details).toMatchObject({ reason: "unconfigured" });
    const given = of({ model: { provider: "anthropic", apiKey: KEY } });
    expect(given.fault()).toBeNull();
    expect(given.credentials(none).has("ANTHROPIC_API_KEY")).toBe(true);
    expect(given.credentials(none).has("OTHER")).toBe(false);
    expect(JSON.stringify(given.entry)).not.toContain(KEY);
  });

  test("that is not configured is named", async () => {
    const { models } = await start([]);
    const code = createCodeGeneration({ models, config: configured("nobody") });
    expect(code.fault()).toContain('There is no model provider "nobody"');
    const asked = orderOf({ settings: { model: "x" } });
    expect((await refused(code.generate(asked))).message).toContain('There is no model provider "nobody"');
  });
});
