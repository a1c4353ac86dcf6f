/**
 * The worked example: clients of both eras that know nothing but an address find out what the server can do, and go from a
 * config that they write by its schemas to a document on the disk. What they did is evidence, step by step.
 */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { COMPOSE_CLIENTS, connectClient, type Json } from "./compose-clients-for-tests.ts";
import { arrive, type Newcomer } from "./newcomer-for-tests.ts";
import { makePlace, type Place } from "./whole-host-for-tests.ts";

const ENDPOINTS = [
  { path: "/mcp/providers/compose", prefix: "" },
  { path: "/mcp", prefix: "compose__" },
];
const CASES = COMPOSE_CLIENTS.flatMap(({ client, connect }) =>
  ENDPOINTS.map(({ path, prefix }) => ({ client, connect, path, prefix })),
);
const TEXT = "Chapters:\n- one\n- two\n";

/** Puts a value where a path such as `generation.patterns[0].template` says, which is how a generator names its fields. */
const put = (config: Json, path: string, value: unknown): void => {
  const steps = path.split(/[.[\]]+/).filter(Boolean);
  const last = steps.pop()!;
  let at = config;
  for (const step of steps) at = at[step] as Json;
  at[last] = value;
};

/** A config for the generator that can repeat things, made of an example and of what the generator says of itself. */
const writeConfig = ({ generators, example }: Newcomer, draft: Json): Json => {
  const all = Object.values(generators["generators"] as Record<string, Json>);
  const chosen = all.find(({ capabilities }) => (capabilities as string[]).includes("loops"))!;
  expect(chosen).toMatchObject({ type: "jinja2", upstream_dependencies: null, availability: { status: "available" } });
  expect(chosen["requirements"].env_vars).toEqual([]);
  const input = example(draft, ({ config_type }) => config_type === "content");
  const [pattern] = chosen["indicators"].template_patterns as readonly string[];
  for (const field of chosen["requirements"].fields as readonly string[])
    put(input["config_data"], field, `Chapters:\n${pattern} for name in names %}- {{ name }}\n${pattern} endfor %}`);
  put(input["config_data"], chosen["indicators"].config_field, chosen["indicators"].config_values[0]);
  return input;
};

/** The config of a content, from nothing to a stored text. */
const makeContent = async (newcomer: Newcomer): Promise<void> => {
  const { find, example, use, client, uri } = newcomer;
  expect(newcomer.server["features"]).toMatchObject({ config_lifecycle: true, content_generation: true });
  const draft = find("config", "draft_config");
  const { draft_id, warnings } = await use(draft, writeConfig(newcomer, draft));
  expect(warnings).toEqual([]);
  const context = { names: ["one", "two"] };
  const trial = find("config", "test_config");
  expect(await use(trial, { ...example(trial), draft_id, context })).toMatchObject({
    preview_content: TEXT,
    generator_used: "jinja2",
    selection_rule: "explicit_type",
    validation_issues: [],
  });
  const save = find("config", "save_config");
  expect(await use(save, { ...example(save), draft_id, config_id: "intro" })).toMatchObject({ config_id: "intro" });
  const { id, type } = await client.fetch(uri("config", { content_id: "intro" }));
  expect({ id, type }).toEqual({ id: "intro", type: "content" });
  const generate = find("content", "generate_content");
  const made = await use(generate, { ...example(generate), content_config_id: "intro", context });
  expect(made).toMatchObject({ success: true, content: TEXT, status: "generated" });
  const { version_id } = made["metadata"] as Json;
  const names: Record<string, string>[] = [{ content_id: "intro" }, { content_id: "intro", version_id }];
  for (const parameters of names)
    expect(await client.read(uri("content", parameters))).toMatchObject({ text: TEXT, mimeType: "text/plain" });
};

/** An artifact as the example of its draft has it: of that content, and of another one that may be absent. */
const makeArtifact = async ({ find, example, use }: Newcomer): Promise<Json> => {
  const [draft, save] = [find("config", "draft_config"), find("config", "save_config")];
  const input = example(draft, ({ config_type }) => config_type === "artifact");
  const { draft_id } = await use(draft, input);
  const { config_id } = await use(save, { ...example(save), draft_id, config_id: input["config_data"].id });
  const assemble = find("artifact", "assemble_artifact");
  return use(assemble, { ...example(assemble), artifact_config_id: config_id });
};

/** Each call and read with how it ended, in order; a call that waited for a person was denied at first. */
const steps = (place: Place): readonly string[] => {
  const events = place.evidence() as readonly Json[];
  const reads = events.filter(({ payload }) => payload.uri !== undefined);
  const uris = new Map(reads.map(({ invocation_id, payload }) => [invocation_id as string, payload.uri as string]));
  return events
    .filter(({ outcome }) => outcome !== null)
    .map(
      ({ invocation_id, capability_id, outcome }) => `${uris.get(invocation_id as string) ?? capability_id} ${outcome}`,
    );
};

const approved = (tool: string): readonly string[] => [`${tool} denied`, `${tool} success`];
const VERSION = /content:\/\/intro\/\S+/;
const STEPS = [
  "capabilities://server success",
  "capabilities://tools success",
  "capabilities://generators success",
  "capabilities://resources success",
  "compose__draft_config success",
  "compose__test_config success",
  "compose__save_config success",
  "config://content/intro success",
  "compose__generate_content success",
  "content://intro success",
  "content://intro/<version> success",
  "compose__draft_config success",
  "compose__save_config success",
  ...approved("compose__assemble_artifact"),
];

test.each(CASES)("$client at $path goes from nothing to a document, by what it reads alone", async (each) => {
  const place = makePlace();
  place.configure({ approvals: { waitSeconds: 0 } });
  const host = await place.start();
  const client = await connectClient(each.connect, `${host.origin}${each.path}`, host.key);
  const newcomer = await arrive(client, async (id) => {
    expect((await host.rest("POST", `/v1/approvals/${id}`, { decision: "approve" })).status).toBe(200);
  });
  const listed = (await client.listTools()).map(({ name }) => name as string);
  expect(newcomer.find("config", "draft_config")["name"]).toBe(`${each.prefix}draft_config`);
  expect(listed.filter((name) => each.prefix !== "" && name.startsWith(each.prefix)).length).toBe(each.prefix ? 17 : 0);
  expect(newcomer.server["tool_count"]).toBe(listed.length);
  if (each.prefix === "") {
    expect(newcomer.server).toMatchObject({ tool_count: 17, resource_count: 5, generator_count: 5 });
    expect(
      Object.keys(newcomer.resources["resources"] as Json)
        .toSorted()
        .join(),
    ).toBe("capabilities,config,content,generator,schema");
  }
  await makeContent(newcomer);
  const artifact = await makeArtifact(newcomer);
  expect(artifact).toMatchObject({ success: true, status: "assembled", content_count: 1 });
  expect(artifact["metadata"].skipped_components).toMatchObject([{ content_id: "letter" }]);
  expect(readFileSync(fileURLToPath(artifact["output_uri"] as string), "utf8")).toBe(TEXT);
  await host.stop();
  expect(steps(place).map((step) => step.replace(VERSION, "content://intro/<version>"))).toEqual(STEPS);
});

/** The call that an answer says comes next: a tool of this endpoint and its arguments. */
const nextCall = (answer: Json): readonly [string, Json] => {
  const [, tool = "", args = ""] = /(\w+) (\{.*?\})/.exec(answer["error"].details.next as string) ?? [];
  return [tool, JSON.parse(args) as Json];
};

test.each(COMPOSE_CLIENTS)("$client makes mistakes, is told what comes next, and gets there", async ({ connect }) => {
  const place = makePlace();
  place.configure({ approvals: { waitSeconds: 0 } });
  const host = await place.start();
  const client = await connectClient(connect, `${host.origin}/mcp/providers/compose`, host.key);
  const newcomer = await arrive(client, async (id) => {
    await host.rest("POST", `/v1/approvals/${id}`, { decision: "approve" });
  });
  const { find, example, use } = newcomer;
  const [draft, save] = [find("config", "draft_config"), find("config", "save_config")];
  const generate = find("content", "generate_content");
  const assemble = find("artifact", "assemble_artifact");
  const codesOf = (tool: Json): readonly string[] =>
    (tool["common_errors"] as Json[]).map(({ code }) => code as string);

  const wrong = await use(draft, { config_type: "content", config_data: { type: "content", id: "intro" } });
  expect(wrong).toMatchObject({ success: false, error: { code: "validation_error" } });
  expect(codesOf(draft)).toContain(wrong["error"].code);
  const pointers = (wrong["error"].details.violations as Json[]).map(({ pointer }) => pointer as string);
  expect(pointers.toSorted()).toEqual(["/elements", "/metadata", "/schemaRef"]);

  const letter = await use(
    draft,
    example(draft, ({ config_type }) => config_type === "content"),
  );
  const book = await use(
    draft,
    example(draft, ({ config_type }) => config_type === "artifact"),
  );
  await use(save, { draft_id: letter["draft_id"], config_id: "intro" });
  await use(save, { draft_id: book["draft_id"], config_id: "book" });
  const early = await use(assemble, { artifact_config_id: "book" });
  expect(early).toMatchObject({ success: false, error: { code: "content_missing" } });
  expect(codesOf(assemble)).toContain("content_missing");

  const [tool, input] = nextCall(early);
  expect([tool, input]).toEqual([generate["name"], { content_config_id: "intro" }]);
  const blank = await use(generate, input);
  expect(blank).toMatchObject({ success: false, error: { code: "generation_failed" } });
  expect(blank["error"].message).toContain("Undefined variable: 'name'");
  expect(await use(generate, { ...input, context: { name: "Ada" } })).toMatchObject({ content: "Dear Ada," });
  expect(await use(assemble, { artifact_config_id: "book" })).toMatchObject({ status: "assembled" });

  const again = await use(save, { draft_id: book["draft_id"], config_id: "book" });
  expect(again).toMatchObject({ success: false, error: { code: "save_failed" } });
  const [repeat, over] = nextCall(again);
  expect([repeat, over["overwrite"]]).toEqual([save["name"], true]);
  expect(await use(save, over)).toMatchObject({ success: true, config_id: "book" });

  await host.stop();
  const failed = steps(place).filter((step) => step.endsWith(" failure"));
  const names = ["draft_config", "assemble_artifact", "generate_content", "save_config"];
  expect(failed).toEqual(names.map((name) => `compose__${name} failure`));
});
