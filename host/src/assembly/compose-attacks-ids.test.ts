/** Names that are none, in every place where a tool or a URI takes one: nothing is read, written or removed by them. */
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { namesBelow, startAttacked, type Attacked } from "./compose-attacked-for-tests.ts";

vi.setConfig({ testTimeout: 60_000 });

const HOSTILE = [
  "",
  " ",
  ".",
  "..",
  "../outside",
  "../../outside/secret",
  "a/b",
  "a\\b",
  "..\\outside",
  "/etc/passwd",
  "a\0b",
  "a\nb",
  "a%2fb",
  "%2e%2e",
  "~",
  "$HOME",
  "`id`",
  "A",
  "é",
  "a\u202eb",
  "\ud800",
  "x".repeat(256),
  "x".repeat(100_000),
  "__proto__",
  "-rf",
  "a.json",
  "victim.meta",
  "file:///etc/passwd",
  "draft-20260101T000000-zzzzzz",
  "draft-20260101T000000-abcdef/../..",
] as const;

/** Every argument of every tool that is an id, with the others as they should be. */
const PLACES: readonly (readonly [string, (id: string) => object])[] = [
  ["generate_content", (id) => ({ content_config_id: id })],
  ["regenerate_content", (id) => ({ content_config_id: id })],
  ["preview_generation", (id) => ({ content_config_id: id })],
  ["assemble_artifact", (id) => ({ artifact_config_id: id, force: true, generate_missing: true })],
  ["test_config", (id) => ({ draft_id: id, dry_run: false })],
  ["save_config", (id) => ({ draft_id: id, config_id: "fine", overwrite: true })],
  ["modify_config", (id) => ({ config_id: id, updates: { state: {} } })],
  ["delete_content", (id) => ({ content_id: id, force: true })],
  ["trace_dependencies", (id) => ({ artifact_config_id: id })],
  ["validate_content", (id) => ({ content_or_config_id: id })],
];
/** Where it may also be one of several, or is wanted to be something else. */
const MORE: readonly (readonly [string, (id: string) => object, string])[] = [
  ["query_ephemeral_storage", (id) => ({ content_id: id, include_content: true }), "invalid_config_id"],
  ["cleanup_ephemeral", (id) => ({ filter: { content_ids: ["victim", id] }, retention: NONE }), "invalid_config_id"],
];
const NONE = { keep_versions: 0, keep_days: 0, keep_latest: false };

const open = async (): Promise<Attacked> => {
  const attacked = await startAttacked();
  attacked.content("victim", { type: "template_fill", template: "I am here." });
  attacked.artifact("victim-book", [{ id: "victim" }]);
  expect(await attacked.call("generate_content", { content_config_id: "victim" })).toMatchObject({ code: "success" });
  return attacked;
};

const stays = async ({ call }: Attacked): Promise<void> => {
  const { answer } = await call("query_ephemeral_storage", { content_id: "victim", include_content: true });
  expect(answer).toMatchObject({ total: 1, entries: [{ content: "I am here." }] });
};

test("no tool takes a name that is none for one, and each says the same of it", async () => {
  const attacked = await open();
  for (const [tool, argsOf] of PLACES)
    for (const id of HOSTILE) {
      const { code, message } = await attacked.call(tool, argsOf(id));
      expect({ tool, id: id.slice(0, 50), code }).toEqual({ tool, id: id.slice(0, 50), code: "invalid_config_id" });
      if (id.trim() === "") expect(message).toBe("Config ID cannot be empty");
      else if (/[/\\\0]|\.\./.test(id)) expect(message).toBe("Config ID contains invalid path characters");
    }
  for (const [tool, argsOf, code] of MORE)
    for (const id of HOSTILE)
      expect({ tool, id: id.slice(0, 50), ...(await attacked.call(tool, argsOf(id))) }).toMatchObject({ tool, code });
  await stays(attacked);
});

test("nothing is saved under a name that is none", async () => {
  const attacked = await open();
  const config_data = { ...CONFIG, generation: { patterns: [{ id: "p", template: "x" }] } };
  const { answer } = await attacked.call("draft_config", { config_type: "content", config_data });
  const before = namesBelow(attacked.root);
  for (const id of HOSTILE) {
    const { code } = await attacked.call("save_config", { draft_id: answer.draft_id, config_id: id, overwrite: true });
    expect({ id: id.slice(0, 50), code }).toEqual({ id: id.slice(0, 50), code: "save_failed" });
  }
  expect(namesBelow(attacked.root)).toEqual(before);
});

const CONFIG = {
  type: "content",
  id: "fresh",
  schemaRef: { id: "content-schema", version: "3.1" },
  metadata: { description: "A text.", version: "1.0.0" },
  elements: [{ name: "body" }],
};

test("a batch with one of them in it makes none of its texts", async () => {
  const attacked = await open();
  for (const id of HOSTILE) {
    const { code } = await attacked.call("batch_generate_content", { content_ids: ["victim", id], force: true });
    expect([id.slice(0, 50), code]).toEqual([id.slice(0, 50), "invalid_config_id"]);
  }
  await stays(attacked);
});

test("a config that a child, a source or a version names so leads nowhere", async () => {
  const attacked = await open();
  for (const id of HOSTILE.filter((each) => each.length < 1_000)) {
    attacked.artifact("book", [{ id }]);
    const { code } = await attacked.call("assemble_artifact", { artifact_config_id: "book", generate_missing: true });
    expect({ id, code }).not.toEqual({ id, code: "success" });
    for (const source_type of ["ephemeral_output", "content_config", "artifact_config"]) {
      attacked.content(
        "taker",
        { template: "{{ s }}", type: "template_fill" },
        {
          inputs: { sources: [{ id: "s", source_type, source_locator: id }] },
        },
      );
      const { code: failed } = await attacked.call("generate_content", { content_config_id: "taker" });
      expect({ id, source_type, failed }).toEqual({ id, source_type, failed: "generation_failed" });
    }
    attacked.artifact("pinned", [{ id: "victim", version: id, retrievalStrategy: "version" }]);
    expect((await attacked.call("assemble_artifact", { artifact_config_id: "pinned" })).code).not.toBe("success");
    expect(
      (await attacked.call("query_ephemeral_storage", { content_id: "victim", strategy: `version:${id}` })).code,
    ).not.toBe("internal_error");
  }
  await stays(attacked);
});

test("a folder that only looks like a content is not opened by any name", async () => {
  const attacked = await open();
  const store = join(attacked.place.workDir, "workspaces/ws_default/data/compose");
  expect(existsSync(join(store, "ephemeral/victim"))).toBe(true);
  mkdirSync(join(store, "ephemeral/Odd Name"), { recursive: true });
  writeFileSync(join(store, "ephemeral/Odd Name/x.text"), "odd");
  const { answer } = await attacked.call("cleanup_ephemeral", { retention: NONE });
  expect(answer).toMatchObject({ total_content_checked: 1, total_versions_deleted: 1 });
  expect(readdirSync(join(store, "ephemeral/Odd Name"))).toEqual(["x.text"]);
});

const SCHEMES = [
  "config://content/",
  "config://artifact/",
  "content://",
  "schema://",
  "generator://",
  "capabilities://",
];

test("no URI reads anything but what is listed under it", async () => {
  const attacked = await open();
  const known = await attacked.read("content://victim");
  expect(known.result.contents[0].text).toBe("I am here.");
  const uris = SCHEMES.flatMap((scheme) => HOSTILE.filter((id) => id.trim() !== "").map((id) => scheme + id));
  const more = [
    "content://victim/../victim",
    "content://victim/..",
    "content://victim/%2e%2e/victim",
    "content://victim//versions",
    "content://victim/versions/../../x",
    "config://content/victim/../victim",
    "config:///content/victim",
    "config://content/victim?x=1",
    "content://victim#x",
    "content://user@victim",
    "content://victim:80",
    "capabilities://tools/../server",
    "capabilities://tools/__proto__",
    "schema://constructor",
    "generator://toString",
    `content://${"a".repeat(2_000)}`,
  ];
  for (const uri of [...uris, ...more]) {
    const { error, result } = await attacked.read(uri);
    expect({ uri: uri.slice(0, 80), result }).toEqual({ uri: uri.slice(0, 80), result: undefined });
    expect([-32002, -32602]).toContain(error.code);
  }
});

test("whatever is put after a scheme, it is there or not, and never a fault", async () => {
  const attacked = await open();
  const part = fc.oneof(
    fc.constantFrom("victim", "..", "%2e", "versions", "content", "/", "\\", "\0", "?", "#"),
    fc.string(),
  );
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...SCHEMES), fc.array(part, { maxLength: 4 }), async (scheme, parts) => {
      const { error } = await attacked.read(scheme + parts.join(""));
      if (error !== undefined) expect([-32002, -32602]).toContain(error.code);
    }),
    { numRuns: 60 },
  );
  expect((await attacked.read("content://victim")).result.contents).toHaveLength(1);
});
