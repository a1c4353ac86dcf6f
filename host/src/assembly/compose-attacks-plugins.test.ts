/** Plug-ins that are broken, greedy or hostile: each is told of, fails alone, and leaves nothing running. */
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { CANARY, pluginText, SECRET_NAME, startAttacked, type Attacked } from "./compose-attacked-for-tests.ts";

vi.setConfig({ testTimeout: 60_000 });

/** By plug-in file, what `capabilities://generators` says of those that are not registered. */
const rejectedOf = async ({ document }: Attacked): Promise<Readonly<Record<string, string>>> => {
  const { metadata } = await document("generators");
  return Object.fromEntries(metadata.rejected.map((one: any) => [one.plugin_path, one.reason_code]));
};

/** Processes of plug-ins that this host has started. */
const running = ({ place }: Attacked): readonly string[] =>
  readdirSync("/proc").filter((pid) => {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) return false;
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(`${place.dir}/work/`);
    } catch {
      return false;
    }
  });

test("each that cannot be registered is listed with its reason, and none of them is a generator", async () => {
  const attacked = await startAttacked();
  const { plugin, call, place } = attacked;
  plugin("throws.generator.mjs", 'throw new Error("at load");');
  plugin("syntax.generator.mjs", "export default {{{");
  plugin("endless.generator.mjs", "for (;;);");
  plugin("never.generator.mjs", "await new Promise(() => {});");
  plugin("dies.generator.mjs", 'process.kill(process.pid, "SIGKILL");');
  plugin("exits.generator.mjs", "process.exit(0);");
  plugin("nothing.generator.mjs", "export const x = 1;");
  plugin("other.generator.mjs", pluginText("somebody", 'return "x";'));
  plugin("text.generator.mjs", 'export default "text";');
  plugin("giant.generator.mjs", pluginText("giant", 'return "";', `description: "x".repeat(3_000_000),`));
  for (const type of ["jinja2", "code_generation"])
    plugin(`${type}.generator.mjs`, pluginText(type, 'return "stolen";'));
  for (const type of ["decision_tree", "list", "builtin", "plugins", "Bad", "__proto__"])
    plugin(`${type}.generator.mjs`, pluginText(type, 'return "reserved";'));
  mkdirSync(join(place.workDir, "plugins/generators/folder.generator.mjs"));
  symlinkSync("gone.mjs", join(place.workDir, "plugins/generators/dangling.generator.mjs"));
  symlinkSync("/dev/zero", join(place.workDir, "plugins/generators/device.generator.mjs"));
  plugin("huge.generator.mjs", " ".repeat(6_000_000));
  plugin("fine.generator.mjs", pluginText("fine", 'return "fine";'));
  const rejected = await rejectedOf(attacked);
  const failed = ["throws", "syntax", "endless", "never", "dies", "exits", "folder", "dangling", "device", "huge"];
  const invalid = [
    "nothing",
    "other",
    "text",
    "giant",
    "decision_tree",
    "list",
    "builtin",
    "plugins",
    "Bad",
    "__proto__",
  ];
  const codes = [
    ...failed.map((name) => [name, "load_failed"] as const),
    ...invalid.map((name) => [name, "invalid_export"] as const),
    ...["jinja2", "code_generation"].map((name) => [name, "type_taken"] as const),
  ];
  expect(rejected).toEqual(Object.fromEntries(codes.map(([name, code]) => [`${name}.generator.mjs`, code])));
  const { answer } = await call("list_generators");
  expect(answer.generators.filter(({ source: from }: any) => from === "plugin")).toMatchObject([{ type: "fine" }]);
  attacked.content("c", { type: "jinja2", template: "{{ 1 }}" });
  expect((await call("generate_content", { content_config_id: "c" })).answer.content).toBe("1");
});

test("one that cannot be read is listed, and is there when it can", async () => {
  const attacked = await startAttacked();
  const file = attacked.plugin("closed.generator.mjs", pluginText("closed", 'return "open";'));
  const folder = join(attacked.place.workDir, "workspaces/ws_default/plugins/generators");
  chmodSync(file, 0);
  mkdirSync(folder, { recursive: true });
  const isRoot = process.getuid?.() === 0;
  if (!isRoot) expect(await rejectedOf(attacked)).toEqual({ "closed.generator.mjs": "load_failed" });
  chmodSync(file, 0o600);
  expect(await rejectedOf(attacked)).toEqual({});
});

test("one whose data directory cannot be made is listed with that, and takes no other with it", async () => {
  const attacked = await startAttacked();
  const { place, plugin, document } = attacked;
  const data = join(place.workDir, "workspaces/ws_default/data/compose/plugins");
  mkdirSync(data, { recursive: true });
  writeFileSync(join(data, "generator-barred"), "");
  for (const type of ["barred", "fine"]) plugin(`${type}.generator.mjs`, pluginText(type, 'return "";'));
  const { generators, metadata } = await document("generators");
  expect(metadata.rejected).toMatchObject([{ plugin_path: "barred.generator.mjs", reason_code: "load_failed" }]);
  expect(metadata.rejected[0].message).toBe("Its data directory cannot be used (EEXIST).");
  expect(Object.keys(generators)).toContain("fine");
});

const USES: readonly (readonly [string, string, string])[] = [
  ["loops", "for (;;);", "generation_timeout"],
  ["waits", "await new Promise(() => {});", "generation_timeout"],
  ["kills", 'process.kill(process.pid, "SIGKILL");', "generation_failed"],
  ["exits", "process.exit(0);", "generation_failed"],
  ["throws", "throw { toString() { throw 1; } };", "generation_failed"],
  ["object", "return { text: 1 };", "generation_failed"],
  ["large", 'return "x".repeat(10_000_001);', "content_too_large"],
  ["giant", 'return "x".repeat(400_000_000);', "content_too_large"],
  [
    "channel",
    'const fs = await import("node:fs"); for (let fd = 3; fd < 20; fd++) try { fs.writeSync(fd, "{}\\n"); } catch {} await new Promise(() => {});',
    "generation_failed",
  ],
  ["parent", "process.kill(process.ppid, 0); return 7;", "generation_failed"],
];

test("what one does in its own process ends there, and the next text is made", async () => {
  const attacked = await startAttacked();
  const hurry = "upstream_dependencies: { expected_latency_ms: { p95: 1500 } },";
  for (const [type, body] of USES) {
    attacked.plugin(`${type}.generator.mjs`, pluginText(type, `if (context.go) { ${body} } return "fine";`, hurry));
    attacked.content(type, { type, template: "x" });
  }
  expect(await rejectedOf(attacked)).toEqual({});
  const made = await Promise.all(
    USES.map(async ([type, , code]) => {
      const bad = await attacked.call("generate_content", { content_config_id: type, context: { go: true } });
      const good = await attacked.call("generate_content", { content_config_id: type });
      return [type, bad.code, good.answer.content, code];
    }),
  );
  expect(made).toEqual(USES.map(([type, , code]) => [type, code, "fine", code]));
  await attacked.lives();
  await attacked.host.stop();
  await vi.waitFor(() => expect(running(attacked)).toEqual([]), { timeout: 10_000 });
});

test("one sees nothing of the host's environment, and what it was given comes back nowhere", async () => {
  const name = "ATTACK_GIVEN";
  const given = "hunter3-given-5511";
  vi.stubEnv(name, given);
  const attacked = await startAttacked({ capabilities: { env: { compose: [name] }, roots: ROOTS } });
  const needs = `upstream_dependencies: { credentials_required: ["${name}"] },`;
  attacked.plugin("spy.generator.mjs", pluginText("spy", "return JSON.stringify(process.env) + process.argv.join();"));
  attacked.plugin(
    "leak.generator.mjs",
    pluginText(
      "leak",
      `const s = "It is " + process.env.${name}; if (context.how === "throw") throw new Error(s); return s;`,
      needs,
    ),
  );
  attacked.plugin(
    "greedy.generator.mjs",
    pluginText(
      "greedy",
      `return "got " + process.env.${SECRET_NAME};`,
      `upstream_dependencies: { credentials_required: ["${SECRET_NAME}"] },`,
    ),
  );
  for (const type of ["spy", "leak", "greedy"]) attacked.content(type, { type, template: "x" });
  const call = async (type: string, how = "") =>
    attacked.call("generate_content", { content_config_id: type, context: { how }, force: true });
  expect((await call("spy")).answer.content).not.toContain("ATTACK");
  expect(await call("greedy")).toMatchObject({ code: "missing_credential" });
  const told = [await call("leak"), await call("leak", "throw")];
  expect(told.map(({ message }) => message)).toEqual([
    expect.stringContaining("holds a credential that it was given"),
    expect.stringContaining("It is [redacted]"),
  ]);
  expect(JSON.stringify(told)).not.toContain(given);
  expect(JSON.stringify(attacked.place.evidence())).not.toContain(given);
});

const ROOTS = { list: [{ name: "project", path: "project" }] };

test("one that comes, changes and goes while texts are made spoils none of them", async () => {
  const attacked = await startAttacked();
  attacked.content("made", { type: "mover", template: "x" });
  const write = (n: number): string =>
    attacked.plugin("mover.generator.mjs", pluginText("mover", `return "text ${n} " + "${n}".repeat(1000);`));
  write(0);
  const texts = new Set<string>();
  for (let round = 0; round < 12; round++) {
    const calls = Array.from({ length: 4 }, () =>
      attacked.call("generate_content", { content_config_id: "made", force: true }),
    );
    if (round % 4 === 3) rmSync(write(round));
    else write(round);
    for (const { code, answer } of await Promise.all(calls)) {
      if (code === "success") texts.add(answer.content as string);
      else expect(["generator_not_found", "generation_failed"]).toContain(code);
    }
  }
  expect(texts.size).toBeGreaterThan(1);
  for (const text of texts) expect(text).toMatch(/^text (\d+) (\1){1000}$/);
});

test("no tool puts anything into the folders of plug-ins", async () => {
  const attacked = await startAttacked({ capabilities: { roots: { list: [{ name: "all", path: "." }] } } });
  const { call, place } = attacked;
  mkdirSync(join(place.dir, "configs/content/a"), { recursive: true });
  writeFileSync(
    join(place.dir, "configs/content/a/a-content.json"),
    readConfig("a", pluginText("evil", 'return "x";')),
  );
  writeFileSync(join(place.dir, "configs/evil.txt"), CANARY);
  mkdirSync(join(place.dir, "configs/artifacts"));
  writeFileSync(join(place.dir, "configs/artifacts/b-artifact.json"), JSON.stringify(ARTIFACT));
  await call("generate_content", { content_config_id: "a" });
  for (const output_path of [
    "work/plugins/generators/evil.generator.mjs",
    "work/workspaces/ws_default/plugins/generators/evil.generator.mjs",
    `${place.workDir}/plugins/generators/evil.generator.mjs`,
    "work/x/../plugins/generators/evil.generator.mjs",
  ])
    expect((await call("assemble_artifact", { artifact_config_id: "b", output_path, force: true })).code).toBe(
      "invalid_output_path",
    );
  expect(await rejectedOf(attacked)).toEqual({});
  expect((await call("list_generators", { generator_type: "plugin" })).answer.total_count).toBe(0);
  rmSync(join(place.dir, "configs"), { recursive: true });
});

const SCHEMA_REF = { id: "content-schema", version: "3.1" };
const ARTIFACT = {
  type: "artifact",
  id: "b",
  schemaRef: SCHEMA_REF,
  metadata: { title: "T", purpose: "P", outputs: [{ file: "b.md", format: "text" }] },
  content: { children: [{ id: "a" }] },
};
const readConfig = (id: string, template: string): string =>
  JSON.stringify({
    type: "content",
    id,
    schemaRef: SCHEMA_REF,
    metadata: { description: "A text.", version: "1.0.0" },
    elements: [{ name: "body" }],
    generation: { patterns: [{ id: "p", type: "template_fill", template }] },
  });
