/** Programs that were written for the server that `capabilities://` comes from run here as they are, on the endpoint of compose. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { startModelStub } from "../agent/model/model-stub-for-tests.ts";
import { COMPOSE_CLIENTS, connectClient, type ComposeClient, type Json } from "./compose-clients-for-tests.ts";
import { detectFeatures, fallBack, learnSelection, preflight, useSchema } from "./discovery-programs-for-tests.ts";
import { makePlace } from "./whole-host-for-tests.ts";

const contentOf = (over: Json = {}): Json => ({
  type: "content",
  id: "tried",
  schemaRef: { id: "content", version: "1.0" },
  metadata: { description: "For a program.", version: "1.0.0" },
  elements: [{ name: "body" }],
  ...over,
});
const patternOf = (pattern: Json, over: Json = {}): Json =>
  contentOf({ generation: { patterns: [{ id: "main", ...pattern }] }, ...over });
const SCENARIO = { feature: { title: "F" }, scenarios: [{ title: "S", steps: ["Given a"] }] };
const GREETING = patternOf({ template: "Hello {{ name }}" }, { id: "greeting" });
const CODE = patternOf({ type: "code_generation", specification: "Print one." }, { id: "code" });

type Connect = (typeof COMPOSE_CLIENTS)[number]["connect"];

/** A host with these configs saved. */
const open = async (connect: Connect, settings: Json = {}, ...saved: readonly Json[]): Promise<ComposeClient> => {
  const place = makePlace();
  const root = join(place.dir, "root");
  mkdirSync(root);
  for (const config of saved) {
    const folder = join(root, "configs/content", config["id"] as string);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `${config["id"]}-content.json`), JSON.stringify(config));
  }
  place.configure({ capabilities: { roots: { list: [{ name: "root", path: "root" }] } }, ...settings });
  const host = await place.start();
  return connectClient(connect, `${host.origin}/mcp/providers/compose`, host.key);
};

const withoutKey = (): void => void vi.stubEnv("ANTHROPIC_API_KEY", undefined);
const restoreAfter = (): void => onTestFinished(() => void vi.unstubAllEnvs());

/** What both take. */
const CHOICES: readonly (readonly [string, Json])[] = [
  ["template_fill", patternOf({ type: "template_fill", template: "{% x %}", generation_config: {} })],
  ["jinja2", patternOf({ template: "{% for x in [1] %}{{ x }}{% endfor %}" })],
  ["template_fill", patternOf({ template: "{{ name }}", generation_config: { context: { name: "n" } } })],
  ["demonstration", contentOf({ elements: [{ name: "body", example_output: "An example." }] })],
  ["jinja2", patternOf({ template: "Words alone." })],
  ["bdd_scenario_assembly", patternOf({ type: "bdd_scenario_assembly", generation_config: SCENARIO })],
  // The program does not look for {% alone; what it falls back to is the same.
  ["jinja2", patternOf({ template: "{% if true %}yes{% endif %}" })],
];

/** Where the program goes against the text that it stands in, and the server follows the text. */
const AGAINST_ITS_TEXT: readonly (readonly [string, string, Json])[] = [
  ["template_fill", "jinja2", patternOf({ template: "{{ [3, 1] | sort | join('-') }}" })],
  [
    "jinja2",
    "demonstration",
    contentOf({ elements: [{ name: "first" }, { name: "second", example_output: "An example." }] }),
  ],
];

/** The generator that this server takes. */
const taken = async ({ callTool }: ComposeClient, config: Json): Promise<unknown> => {
  const draft = await callTool("draft_config", { config_type: "content", config_data: config });
  const { draft_id } = draft["structuredContent"] as Json;
  const tested = await callTool("test_config", { draft_id });
  return (tested["structuredContent"] as Json)["generator_used"];
};

describe.each(COMPOSE_CLIENTS)("with $client", ({ connect }) => {
  test("example 1: a program that looks for the feature drafts a config", async () => {
    const client = await open(connect);
    const result = await detectFeatures(client, { config_type: "content", config_data: GREETING });
    expect(result).toMatchObject({ structuredContent: { success: true, validation_status: "valid" } });
  });

  test("example 1: where the feature is off, the program writes its config by hand", async () => {
    const off = { policy: { capabilities: { compose__draft_config: { lifecycle: "disabled" } } } };
    expect(await detectFeatures(await open(connect, off), {})).toBeNull();
  });

  test("example 2: a program that validates against the schema it found generates content", async () => {
    const client = await open(connect, {}, GREETING);
    const result = await useSchema(client, (schema) => {
      const input = { content_config_id: "greeting", context: { name: "Ada" } };
      const isValid = new Ajv2020({ strict: true }).compile(schema);
      expect([isValid(input), isValid({ context: {} })]).toEqual([true, false]);
      return input;
    });
    expect(result).toMatchObject({ structuredContent: { success: true, content: "Hello Ada", status: "generated" } });
  });

  test("example 3: a program chooses the generator that this server takes", async () => {
    const client = await open(connect);
    const select = await learnSelection(client);
    for (const [chosen, config] of CHOICES) {
      expect(select(config)).toBe(chosen);
      expect(await taken(client, config)).toBe(chosen);
    }
    for (const [chosen, otherwise, config] of AGAINST_ITS_TEXT) {
      expect(select(config)).toBe(chosen);
      expect(await taken(client, config)).toBe(otherwise);
    }
  });

  test("a program that knows of no such document falls back to the tools", async () => {
    const client = await open(connect);
    expect(await fallBack(client, "capabilities://server")).toEqual(["draft_config", "test_config"]);
    expect(await fallBack(client, "capabilities://no-such-type")).toHaveLength(17);
  });

  test("pre-flight: a gateway finds the credential missing, and so does the server", async () => {
    restoreAfter();
    withoutKey();
    const client = await open(connect, {}, CODE);
    const { generators } = await client.fetch("capabilities://generators");
    const generate = vi.fn(() => client.callTool("generate_content", { content_config_id: "code" }));
    const { error } = await preflight(generators.code_generation as Json, (name) => process.env[name], [generate]);
    expect([error, generate.mock.calls.length]).toEqual(["Missing credential: ANTHROPIC_API_KEY", 0]);
    expect(await generate()).toMatchObject({
      isError: true,
      structuredContent: { error: { code: "missing_credential", message: error } },
    });
    expect(generators.code_generation.availability).toEqual({
      status: "unavailable",
      reason: error,
      missing: ["ANTHROPIC_API_KEY"],
    });
  });

  test("pre-flight: with the credential the gateway has its timeout, and generates in parallel", async () => {
    restoreAfter();
    vi.stubEnv("ANTHROPIC_API_KEY", "sk-ant-for-tests");
    const stub = await startModelStub();
    onTestFinished(() => stub.close());
    stub.script([{ text: "```python\nprint(1)\n```", forever: true }]);
    const settings = { model: { provider: "anthropic", baseURL: stub.url } };
    const client = await open(connect, settings, CODE, { ...CODE, id: "more-code" });
    const { generators } = await client.fetch("capabilities://generators");
    const tasks = ["code", "more-code"].map(
      (id) => () => client.callTool("generate_content", { content_config_id: id }),
    );
    const checked = await preflight(generators.code_generation as Json, (name) => process.env[name], tasks);
    expect(checked).toMatchObject({ error: null, timeout: 10_000 });
    expect(checked.results.map(({ structuredContent }) => structuredContent.content as string)).toEqual([
      "print(1)",
      "print(1)",
    ]);
  });

  test("pre-flight: where a generator depends on nothing, there is nothing to check", async () => {
    const client = await open(connect);
    const { generators } = await client.fetch("capabilities://generators");
    for (const type of ["jinja2", "template_fill", "demonstration", "bdd_scenario_assembly"])
      expect(await preflight(generators[type] as Json, () => undefined, [])).toMatchObject({
        error: null,
        timeout: null,
      });
  });
});
