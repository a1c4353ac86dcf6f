/** Which models a configuration gives, what it says where one cannot be called, and what is known of them. */
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import type { ModelUsage } from "../../kernel/model.ts";
import { Refusal } from "../../kernel/refusal.ts";
import { createModels } from "./create-models.ts";
import { startModelStub } from "./model-stub-for-tests.ts";
import { configOf, fail, KEY, requestFor } from "./models-for-tests.ts";
import type { Environment, ModelConfig } from "./read-providers.ts";

const DEFAULT = "claude-sonnet-4-5-20250929";
const modelsOf = (config: Partial<ModelConfig> = {}, env: Environment = {}) =>
  createModels({ config: configOf(config), env });
const local = { type: "openai-compatible", baseURL: "http://127.0.0.1:11434/v1", headers: {} } as const;

const catchRefusal = (work: () => unknown): Refusal => {
  try {
    work();
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
  throw new Error("nothing was refused");
};

describe("without a key", () => {
  test("the sentence names the variable and the key of the file", () => {
    expect(modelsOf().unconfigured(DEFAULT)).toBe(
      'There is no key for the model provider "anthropic": set the environment variable ANTHROPIC_API_KEY, or "model.apiKey" in bailiwick.json, and start the host again.',
    );
  });

  test("a call fails with that sentence and sends nothing", async () => {
    const models = modelsOf({}, { ANTHROPIC_API_KEY: "  " });
    const { error } = await fail(models.call(requestFor(DEFAULT)));
    expect(error).toMatchObject({ kind: "unconfigured", message: models.unconfigured(DEFAULT) });
  });

  test("an OpenAI-compatible endpoint can be called all the same", () => {
    expect(modelsOf({ providers: { local } }).unconfigured("local:llama3:8b")).toBeNull();
  });

  test("another provider of Anthropic's wire does not get the key of Anthropic", () => {
    const providers = { proxy: { type: "anthropic", baseURL: "https://proxy.example/v1", headers: {} } } as const;
    expect(modelsOf({ providers }, { ANTHROPIC_API_KEY: KEY }).unconfigured("proxy:x")).toContain(
      'set "providers.proxy.apiKey"',
    );
  });
});

describe("a key", () => {
  test.each([
    ["the environment", {}, { ANTHROPIC_API_KEY: KEY }],
    ["the short form", { model: { provider: "anthropic", apiKey: KEY } }, {}],
    ["providers", { providers: { anthropic: { type: "anthropic", apiKey: KEY, headers: {} } } }, {}],
    [
      "a reference",
      { providers: { anthropic: { type: "anthropic", apiKey: "${env:MY_KEY}", headers: {} } } },
      { MY_KEY: KEY },
    ],
  ] as const)("from %s is enough", (_, config, env) => {
    expect(modelsOf(config, env).unconfigured(DEFAULT)).toBeNull();
  });

  test("that is referred to and not set is named", () => {
    const providers = { local: { ...local, apiKey: "${env:MY_KEY}" } };
    expect(modelsOf({ providers }).unconfigured("local:x")).toBe(
      "The environment variable MY_KEY, which providers.local.apiKey names, is not set: set it and start the host again.",
    );
    expect(modelsOf({ providers }, { ANTHROPIC_API_KEY: KEY }).unconfigured(DEFAULT)).toBeNull();
  });

  test("with a line break in it is told without being shown", () => {
    const told = modelsOf({}, { ANTHROPIC_API_KEY: "sk-one\nsk-two" }).unconfigured(DEFAULT);
    expect(told).toContain("The key in ANTHROPIC_API_KEY holds characters");
    expect(told).not.toContain("sk-");
  });

  test("or a header with a line break in it, likewise", () => {
    const providers = { local: { ...local, headers: { "x-one": " fine\n", "x-two": "${env:TWO}" } } };
    expect(modelsOf({ providers }, { TWO: "secret\r\nx-other: 1" }).unconfigured("local:x")).toBe(
      'The value of "providers.local.headers.x-two" in bailiwick.json cannot be sent in a header: set it again, on one line.',
    );
  });

  test("in providers wins over the short form, address and all", async () => {
    const stub = await startModelStub([{ text: "x" }]);
    const models = modelsOf({
      model: { provider: "anthropic", apiKey: "short", baseURL: "http://127.0.0.1:1" },
      providers: { anthropic: { type: "anthropic", apiKey: "long", baseURL: stub.url, headers: {} } },
    });
    for await (const event of models.call(requestFor(DEFAULT))) expect(event.type).not.toBe("call");
    await stub.close();
    expect(stub.requests()[0]?.headers["x-api-key"]).toBe("long");
  });
});

describe("an address", () => {
  test.each([
    [undefined, 'has no address: set "providers.local.baseURL"'],
    ["localhost:1234", "is no http: or https: URL"],
    ["file:///etc/passwd", "is no http: or https: URL"],
    ["https://me:pass@host.example", "holds a user name or a password"],
  ])("%s is told what is wrong with it, and not shown", (baseURL, said) => {
    const { baseURL: _, ...others } = local;
    const entry = baseURL === undefined ? others : { ...others, baseURL };
    const told = modelsOf({ providers: { local: entry } }).unconfigured("local:x");
    expect(told).toContain(said);
    expect(told).not.toContain("pass@");
  });

  test("in the short form makes another name an OpenAI-compatible provider", () => {
    const models = modelsOf({ model: { provider: "mine", baseURL: "http://127.0.0.1:1/v1" }, defaultModel: "m" });
    expect(models.unconfigured("m")).toBeNull();
  });
});

describe("an unknown provider", () => {
  const models = modelsOf({ providers: { local } }, { ANTHROPIC_API_KEY: KEY });

  test.each(["openai:gpt-5", "llama3:8b", "constructor:x", "__proto__:x", ":x"])(
    "%s is refused, listing the configured ones",
    (model) => {
      for (const ask of [() => models.windowOf(model), () => models.unconfigured(model)]) {
        const refusal = catchRefusal(ask);
        expect(refusal.kind).toBe("bad_request");
        expect(refusal.message).toContain("Configured: anthropic, local.");
        expect(refusal.details).toEqual({ providers: ["anthropic", "local"] });
      }
    },
  );

  test.each(["", "local:", "local: ", "x".repeat(300)])("%j names no model", (model) => {
    expect(catchRefusal(() => models.windowOf(model)).message).toContain("names no model");
  });

  test("as the default is the configuration's fault, not that of who asks", () => {
    const told = modelsOf({ model: { provider: "gone" }, defaultModel: "m" }).unconfigured("m");
    expect(told).toContain('There is no model provider "gone". Configured: anthropic.');
    expect(told).toContain('Correct "defaultModel" or "model.provider"');
  });
});

describe("what is known of a model", () => {
  const models = modelsOf({ providers: { local } }, { ANTHROPIC_API_KEY: KEY });
  const million: ModelUsage = {
    inputTokens: 3_000_000,
    outputTokens: 1_000_000,
    cacheReadTokens: 1_000_000,
    cacheCreationTokens: 1_000_000,
    estimated: false,
  };

  test.each([
    [DEFAULT, 200_000],
    ["claude-opus-4-20250514", 200_000],
    ["claude-sonnet-4-6", 1_000_000],
    ["claude-opus-5-5", 1_000_000],
    ["local:anything", 128_000],
  ])("%s has a window of %i", (model, window) => {
    expect(models.windowOf(model)).toBe(window);
  });

  test("the default model costs what input, cache and output cost", () => {
    expect(models.costOf(DEFAULT, million)).toBeCloseTo(3 + 0.3 + 3.75 + 15, 9);
    expect(models.costOf(`anthropic:${DEFAULT}`, million)).toBeCloseTo(22.05, 9);
  });

  test.each(["claude-opus-9", "claude-haiku-5-5", "claude-sonnet-4-5-evil", "local:claude-sonnet-4-5"])(
    "what %s costs is not known",
    (model) => {
      expect(models.costOf(model, million)).toBeNull();
    },
  );

  test("nor is it at an endpoint that is not Anthropic's", () => {
    const proxied = modelsOf({
      model: { provider: "anthropic", apiKey: KEY, baseURL: "https://api.anthropic.com.example/v1" },
    });
    expect(proxied.costOf(DEFAULT, million)).toBeNull();
  });
});

test("the SDK is loaded with the first call and not before", () => {
  const file = fileURLToPath(new URL("./create-models.ts", import.meta.url));
  const script = `
    import { registerHooks } from "node:module";
    const loaded = [];
    registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
    const { createModels } = await import(${JSON.stringify(file)});
    const models = createModels({ config: { model: { provider: "anthropic", baseURL: "http://127.0.0.1:1" }, providers: {}, defaultModel: "m" }, env: { ANTHROPIC_API_KEY: "k" } });
    models.unconfigured("m"), models.windowOf("m");
    const count = () => loaded.filter((url) => url.includes("ai-sdk")).length;
    const before = count();
    const request = { model: "m", stable: "", varying: "", messages: [], tools: [], maxOutputTokens: 1, signal: new AbortController().signal };
    try { for await (const event of models.call(request)); } catch {}
    console.log(JSON.stringify([before, count() > 0, loaded.some((url) => url.includes("openai-compatible"))]));`;
  const out = execFileSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" });
  expect(JSON.parse(out)).toEqual([0, true, false]);
});
