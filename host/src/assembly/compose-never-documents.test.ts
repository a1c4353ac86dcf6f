/**
 * What must never happen with capability documents and generators, each as somebody who uses a whole host would see it. That
 * nothing comes through a pipe is shown where the pipe is.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { openSession } from "../transport/client-for-tests.ts";
import { pluginText, SECRET, SECRET_NAME, startAttacked } from "./compose-attacked-for-tests.ts";

vi.setConfig({ testTimeout: 60_000 });

test("never 1: a capability document disagrees with what can be listed, called and read", async () => {
  const attacked = await startAttacked();
  attacked.plugin("one.generator.mjs", pluginText("one", 'return "x";'));
  attacked.content("a", { type: "template_fill", template: "Alpha" });
  await attacked.generate("a");
  const [server, tools, resources, generators] = await Promise.all(
    ["server", "tools", "resources", "generators"].map((type) => attacked.document(type)),
  );
  const session = await openSession(attacked.host.origin, "2025-11-25", "/mcp", attacked.host.key);
  const listed: any[] = [];
  for (let cursor: string | undefined; ;) {
    const { json } = await session.call("tools/list", cursor === undefined ? {} : { cursor });
    listed.push(...json.result.tools);
    cursor = json.result.nextCursor;
    if (cursor === undefined) break;
  }
  const told: any[] = Object.values(tools.tools_by_category).flat();
  expect([server.tool_count, tools.metadata.total_count, told.length]).toEqual(Array(3).fill(listed.length));
  for (const tool of listed) {
    const { input_schema, output_schema } = told.find(({ name }) => name === tool.name);
    expect([tool.name, input_schema, output_schema]).toEqual([tool.name, tool.inputSchema, tool.outputSchema ?? {}]);
  }
  const names = Object.keys(generators.generators);
  const { builtin_count, plugin_count, generator_count } = generators.metadata;
  expect([builtin_count, plugin_count]).toEqual([5, 1]);
  expect([server.generator_count, generator_count]).toEqual([names.length, names.length]);
  expect(server.resource_count).toBe(Object.keys(resources.resources).length);
  const links = Object.values<any>(generators.generators).map(({ docs_uri }) => docs_uri);
  const examples = Object.values<any>(resources.resources).flatMap(({ examples: some }) => some);
  for (const uri of [...links, ...examples]) expect([uri, (await attacked.read(uri)).error]).toEqual([uri, undefined]);
  for (const one of [tools, resources, generators]) expect(one.metadata.version).toBe(server.version);
});

test("never 2: a generator vanishes for want of a key, a failing plug-in disappears, or one takes the place of a built-in", async () => {
  const attacked = await startAttacked();
  const needs = 'upstream_dependencies: { credentials_required: ["NOBODY_HAS_THIS"] },';
  attacked.plugin("needy.generator.mjs", pluginText("needy", 'return "x";', needs));
  attacked.plugin("broken.generator.mjs", "throw new Error('no');");
  attacked.plugin("template_fill.generator.mjs", pluginText("template_fill", 'return "stolen";'));
  attacked.content("needy", { type: "needy", template: "x" });
  attacked.content("filled", { type: "template_fill", template: "own" });
  const { generators, metadata } = await attacked.document("generators");
  expect(generators.code_generation.availability).toMatchObject({
    status: "unavailable",
    missing: ["ANTHROPIC_API_KEY"],
  });
  expect(generators.needy).toMatchObject({ source: "plugin", availability: { missing: ["NOBODY_HAS_THIS"] } });
  expect(generators.template_fill).toMatchObject({ source: "builtin", name: "TemplateFillGenerator" });
  expect(metadata.rejected).toMatchObject([
    { plugin_path: "broken.generator.mjs", reason_code: "load_failed" },
    { plugin_path: "template_fill.generator.mjs", reason_code: "type_taken" },
  ]);
  expect((await attacked.generate("filled")).answer.content).toBe("own");
  expect(await attacked.generate("needy")).toMatchObject({
    code: "missing_credential",
    message: "Missing credential: NOBODY_HAS_THIS",
  });
});

test("never 3: the code of a plug-in shares the host's process", async () => {
  const attacked = await startAttacked();
  attacked.plugin("where.generator.mjs", pluginText("where", "globalThis.here = 1; return String(process.pid);"));
  attacked.content("where", { type: "where", template: "x" });
  const { answer } = await attacked.generate("where");
  expect(Number(answer.content)).toBeGreaterThan(1);
  expect(Number(answer.content)).not.toBe(process.pid);
  expect("here" in globalThis).toBe(false);
});

test("never 10: a family is told of that cannot be listed or read", async () => {
  const attacked = await startAttacked();
  attacked.content("given", { type: "template_fill", template: "Alpha" });
  attacked.artifact("given", [{ id: "a" }]);
  for (const [config_id, from] of [
    ["a", "content/given/given-content"],
    ["book", "artifacts/given-artifact"],
  ] as const) {
    const config_data = JSON.parse(readFileSync(join(attacked.root, `configs/${from}.json`), "utf8")) as {
      type: string;
    };
    const { answer } = await attacked.call("draft_config", { config_type: config_data.type, config_data });
    expect((await attacked.call("save_config", { draft_id: answer.draft_id, config_id })).code).toBe("success");
  }
  await attacked.generate("a");
  const session = await openSession(attacked.host.origin, "2025-11-25", "/mcp", attacked.host.key);
  const all = async (method: string, member: string): Promise<any[]> => {
    const found: any[] = [];
    for (let cursor: string | undefined; ;) {
      const { json } = await session.call(method, cursor === undefined ? {} : { cursor });
      found.push(...json.result[member]);
      cursor = json.result.nextCursor;
      if (cursor === undefined) return found;
    }
  };
  const uris = (await all("resources/list", "resources")).map(({ uri }) => uri as string);
  const templates = (await all("resources/templates/list", "resourceTemplates")).map(
    ({ uriTemplate }) => uriTemplate as string,
  );
  const { resources } = await attacked.document("resources");
  for (const [family, { patterns }] of Object.entries<any>(resources)) {
    if (!["config", "schema", "content", "generator", "capabilities"].includes(family)) continue;
    expect([family, uris.some((uri) => uri.startsWith(`${family}://`))]).toEqual([family, true]);
    for (const pattern of patterns) expect(templates).toContain(pattern);
  }
  const own = uris.filter((uri) => /^(?:config|schema|content|generator|capabilities):/.test(uri));
  expect(own).toEqual(expect.arrayContaining(["config://content/a", "config://artifact/book", "content://a"]));
  for (const uri of own) expect([uri, (await attacked.read(uri)).error]).toEqual([uri, undefined]);
});

test("never 11: a failure looks like a success, or has another name at another door", async () => {
  const attacked = await startAttacked();
  const { host } = attacked;
  const args = { content_config_id: "nowhere" };
  const rest = await attacked.generate("nowhere");
  const session = await openSession(host.origin, "2025-11-25", "/mcp", host.key);
  const { json } = await session.call("tools/call", { name: "compose__generate_content", arguments: args });
  expect(json.result).toMatchObject({ isError: true, structuredContent: { success: false } });
  const own = await openSession(host.origin, "2025-11-25", "/mcp/providers/compose", host.key);
  const alone = (await own.call("tools/call", { name: "generate_content", arguments: args })).json.result;
  const batch = await attacked.call("batch_generate_content", { content_ids: ["nowhere"] });
  expect(batch.answer).toMatchObject({ success: false, status: "batch_failed" });
  const codes = [
    rest.code,
    json.result.structuredContent.error.code,
    alone.structuredContent.error.code,
    batch.answer.errors[0].code,
  ];
  expect(codes).toEqual(Array(4).fill("config_not_found"));
  const ends = attacked.place
    .evidence()
    .filter(({ event_type }) => /^execution_(?:completed|failed)$/.test(event_type));
  expect(new Set(ends.map(({ event_type }) => event_type))).toEqual(new Set(["execution_failed"]));
});

test("never 12: what runs at the same time is mixed up in evidence", async () => {
  const attacked = await startAttacked();
  const ids = ["a", "b", "c"];
  for (const id of ids) attacked.content(id, { type: "jinja2", template: `{{ '${id}' }}` });
  const together = Array.from({ length: 4 }, () =>
    attacked.call("batch_generate_content", { content_ids: ids, force: true }),
  );
  for (const { code } of await Promise.all(together)) expect(code).toBe("success");
  const started = attacked.place
    .evidence()
    .filter(({ event_type }) => event_type === "execution_started") as readonly any[];
  const of = (tool: string) => started.filter(({ capability_id }) => capability_id === `compose__${tool}`);
  const [batches, items] = [of("batch_generate_content"), of("generate_content")];
  expect([batches.length, items.length]).toEqual([4, 12]);
  for (const { invocation_id, correlation } of batches) {
    const own = items.filter((item) => item.correlation.causation_id === invocation_id);
    const { correlation_id } = correlation;
    expect(own.map((item) => item.correlation.correlation_id)).toEqual(Array(3).fill(correlation_id));
  }
  expect(new Set(batches.map(({ correlation }) => correlation.correlation_id)).size).toBe(4);
});

test("secrets of the host's environment are in no context, and no template can name one", async () => {
  const attacked = await startAttacked();
  const names = [SECRET_NAME, "env", "environ", "process", "os", "globals", "self"];
  attacked.content("spy", { type: "jinja2", template: names.map((name) => `{{ ${name} }}`).join("|") });
  attacked.content("fill", { type: "template_fill", template: `\${${SECRET_NAME}} $${SECRET_NAME} %${SECRET_NAME}%` });
  expect((await attacked.generate("spy")).code).toBe("success");
  expect((await attacked.generate("fill")).answer.content).toContain(SECRET_NAME);
  for (const type of ["server", "tools", "resources", "generators", "host", "skills"])
    expect(JSON.stringify(await attacked.document(type))).not.toContain(SECRET);
});
