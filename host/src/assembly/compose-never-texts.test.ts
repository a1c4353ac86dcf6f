/** What must never happen with texts, configs and artifacts, each as somebody who uses a whole host would see it. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { pluginText, startAttacked } from "./compose-attacked-for-tests.ts";

vi.setConfig({ testTimeout: 60_000 });

test("never 4: a text made for one context is given for another, assembling makes something anew, or what is optional blocks it", async () => {
  const attacked = await startAttacked();
  attacked.content("hello", { type: "template_fill", template: "Hello {{ name }}" });
  const texts: string[] = [];
  for (const name of ["Ada", "Bob", "Ada"])
    texts.push((await attacked.generate("hello", { context: { name } })).answer.content);
  expect(texts).toEqual(["Hello Ada", "Hello Bob", "Hello Ada"]);
  expect((await attacked.generate("hello", { context: { name: "Ada" } })).answer).toMatchObject({
    status: "skipped",
    content: "Hello Ada",
  });
  const two = await Promise.all(["Eve", "Mallory"].map((name) => attacked.generate("hello", { context: { name } })));
  expect(two.map(({ answer }) => answer.content)).toEqual(["Hello Eve", "Hello Mallory"]);

  attacked.content("part", { type: "template_fill", template: "As it was" });
  await attacked.generate("part");
  attacked.content("part", { type: "template_fill", template: "As it would be" });
  attacked.content("broken", { type: "template_fill", template: "{{ missing }}" });
  attacked.artifact("book", [{ id: "broken", required: false }, { id: "part" }, { id: "absent", required: false }]);
  const versions = async () =>
    (await attacked.call("query_ephemeral_storage", { content_id: "part", strategy: "all" })).answer.total;
  const before = await versions();
  const made = await attacked.call("assemble_artifact", { artifact_config_id: "book", generate_missing: true });
  expect(made.answer).toMatchObject({ success: true, status: "assembled", content_count: 1 });
  expect(made.answer.metadata.skipped_components.map(({ content_id }: any) => content_id).toSorted()).toEqual([
    "absent",
    "broken",
  ]);
  expect(readFileSync(join(attacked.root, "book.md"), "utf8")).toBe("As it was");
  expect(await versions()).toBe(before);
});

test("never 5: a parameter or a field of a config is taken and changes nothing", async () => {
  const attacked = await startAttacked();
  attacked.content("bad", { type: "template_fill", template: "{{ missing }}" });
  const ids = ["x1", "x2", "x3"];
  for (const id of ids) attacked.content(id, { type: "template_fill", template: id });
  const batch = async (continue_on_error: boolean) =>
    (
      await attacked.call("batch_generate_content", {
        content_ids: ["bad", ...ids],
        max_parallel: 1,
        continue_on_error,
      })
    ).answer;
  expect(await batch(false)).toMatchObject({ failed: 1, generated: 0, cancelled: 3 });
  expect(await batch(true)).toMatchObject({ failed: 1, generated: 3, cancelled: 0, status: "batch_partial" });

  await attacked.generate("x1", { force: true });
  const retention = { keep_versions: 1, keep_days: 0 };
  const clean = async (dry_run: boolean) => (await attacked.call("cleanup_ephemeral", { retention, dry_run })).answer;
  expect(await clean(true)).toMatchObject({ status: "dry_run", total_versions_deleted: 1 });
  expect(await clean(false)).toMatchObject({ status: "cleaned", total_versions_deleted: 1 });
  expect(await clean(false)).toMatchObject({ total_versions_deleted: 0 });

  const [first, second] = [
    await attacked.generate("x1", { force: true }),
    await attacked.generate("x1", { force: true }),
  ];
  const child = { id: "x1", retrievalStrategy: "version", version: first.answer.metadata.version_id };
  attacked.artifact("pinned", [child, { id: "x1", retrievalStrategy: "all" }, { id: "x2", conditions: { who: "me" } }]);
  const assemble = async (id: string, context: object) =>
    attacked.call("assemble_artifact", { artifact_config_id: id, context, force: true });
  const without = (await assemble("pinned", {})).answer;
  expect(without.metadata.components.map(({ version_id }: any) => version_id)).toContain(
    second.answer.metadata.version_id,
  );
  expect(without.metadata.components[0].version_id).toBe(first.answer.metadata.version_id);
  expect(without.metadata.skipped_components).toMatchObject([{ content_id: "x2" }]);
  expect((await assemble("pinned", { who: "me" })).answer.metadata.skipped_components).toEqual([]);
  attacked.artifact("reviewed", [{ id: "x1", review_required: true }]);
  expect((await assemble("reviewed", {})).code).toBe("content_not_approved");
  attacked.content("x1", { type: "template_fill", template: "x1" }, { evolution: { stage: "approved" } });
  await attacked.generate("x1", { force: true });
  expect((await assemble("reviewed", {})).code).toBe("success");
});

test("never 6: a limit is told and does not hold, what is called parallel runs in turn, or a figure is made up", async () => {
  const limits = { max_content_size_bytes: 100, max_artifact_components: 2, max_batch_size: 3 };
  const attacked = await startAttacked({ compose: { limits }, capabilities: { roots: ROOTS } });
  expect((await attacked.document("server")).limits).toMatchObject(limits);
  attacked.content("large", { type: "template_fill", template: "x".repeat(101) });
  attacked.content("fits", { type: "template_fill", template: "x".repeat(100) });
  expect(await attacked.generate("large")).toMatchObject({
    code: "content_too_large",
    answer: { error: { details: { size: 101, limit: 100 } } },
  });
  expect((await attacked.generate("fits")).code).toBe("success");
  attacked.artifact("three", [{ id: "fits" }, { id: "fits" }, { id: "fits" }]);
  expect((await attacked.call("assemble_artifact", { artifact_config_id: "three" })).code).toBe("too_many_components");
  attacked.artifact("two", [{ id: "fits" }, { id: "fits" }]);
  expect((await attacked.call("assemble_artifact", { artifact_config_id: "two" })).code).toBe("content_too_large");
  expect((await attacked.call("batch_generate_content", { content_ids: ["a", "b", "c", "d"] })).code).toBe(
    "batch_too_large",
  );

  // Each waits for the other two: one after another they would never end.
  const gate =
    "globalThis.n = (globalThis.n ?? 0) + 1; while (globalThis.n < 3) await new Promise((r) => setTimeout(r, 5)); return 'met';";
  attacked.plugin("meet.generator.mjs", pluginText("meet", gate));
  for (const id of ["m1", "m2", "m3"]) attacked.content(id, { type: "meet", template: "x" });
  const { answer } = await attacked.call("batch_generate_content", {
    content_ids: ["m1", "m2", "m3"],
    max_parallel: 3,
  });
  expect(answer).toMatchObject({ generated: 3, status: "batch_complete" });
  expect(answer.parallel_efficiency).toBeGreaterThan(0);
  expect(answer.parallel_efficiency).toBeLessThanOrEqual(1);
  const { answer: stored } = await attacked.call("list_content", {});
  expect(stored.content.find(({ id }: any) => id === "m1")).toMatchObject({ generated: true, versions_available: 1 });
  expect(stored.content.find(({ id }: any) => id === "large")).toMatchObject({
    generated: false,
    last_generated: null,
    versions_available: 0,
  });
});

const ROOTS = { list: [{ name: "project", path: "project" }] };

test("never 7: an id or a path that is none deletes, writes or reads a file", async () => {
  const attacked = await startAttacked();
  attacked.content("a", { type: "template_fill", template: "Alpha" });
  attacked.artifact("book", [{ id: "a" }]);
  await attacked.generate("a");
  for (const content_id of ["..", "../..", "a/..", "/", "."])
    expect((await attacked.call("delete_content", { content_id, force: true })).code).toBe("invalid_config_id");
  for (const output_path of [join(attacked.outside, "x.md"), "/tmp/bailiwick-was-here.md", "../x.md"])
    expect((await attacked.call("assemble_artifact", { artifact_config_id: "book", output_path })).code).toBe(
      "invalid_output_path",
    );
  const context = { v: { source: "file", path: "configs/content/a/a-content.json" } };
  expect((await attacked.generate("a", { context })).code).toBe("invalid_context");
  expect((await attacked.generate("a")).answer).toMatchObject({ status: "skipped", content: "Alpha" });
});

test("never 8: what is saved cannot be loaded, a list drops an entry, or a draft counts as content", async () => {
  const attacked = await startAttacked();
  const { call } = attacked;
  attacked.content("bare", null);
  attacked.write("configs/content/half/half-content.json", '{"type":"content","id":"half"}');
  attacked.write("configs/content/torn/torn-content.json", '{"type":"content","id":');
  attacked.artifact("book", [{ id: "bare" }]);
  attacked.write("configs/artifacts/torn-artifact.json", "[]");
  const kept = JSON.parse(
    readFileSync(join(attacked.root, "configs/content/bare/bare-content.json"), "utf8"),
  ) as object;
  const { answer: draft } = await call("draft_config", {
    config_type: "content",
    config_data: { ...kept, generation: { patterns: [{ id: "p", type: "template_fill", template: "drafted" }] } },
  });
  await call("test_config", { draft_id: draft.draft_id, dry_run: false });
  const { answer } = await call("list_content", {});
  expect(answer.content.map(({ id }: any) => id)).toEqual(["bare", "half", "torn"]);
  expect((await call("list_artifacts", {})).answer.artifacts.map(({ id }: any) => id)).toEqual(["book", "torn"]);
  const { answer: stored } = await call("query_ephemeral_storage", {});
  expect([stored.total, stored.storage.content_count]).toEqual([0, 0]);
  expect((await call("save_config", { draft_id: draft.draft_id, config_id: "saved" })).code).toBe("success");
  expect((await attacked.generate("saved")).answer.content).toBe("drafted");
  const artifact = JSON.parse(
    readFileSync(join(attacked.root, "configs/artifacts/book-artifact.json"), "utf8"),
  ) as object;
  const { answer: second } = await call("draft_config", { config_type: "artifact", config_data: artifact });
  await call("save_config", { draft_id: second.draft_id, config_id: "again" });
  expect((await call("trace_dependencies", { artifact_config_id: "again" })).answer.total_dependencies).toBe(1);
});

test("never 9: a value is changed on its way into a text", async () => {
  const attacked = await startAttacked();
  const odd = [
    "C:\\new\\table",
    "$& $1 $$ $`",
    "{{ name }}",
    "{% raw %}",
    "\\\\n",
    "a\\tb",
    "\u0000",
    "</script>",
    "%s",
  ];
  attacked.content("fill", { type: "template_fill", template: "[{{ v }}]" });
  attacked.content("jinja", { type: "jinja2", template: "[{{ v }}]{# #}" });
  for (const v of odd)
    for (const id of ["fill", "jinja"])
      expect([id, (await attacked.generate(id, { context: { v } })).answer.content]).toEqual([id, `[${v}]`]);
  for (const v of odd.filter((each) => each !== "\u0000")) {
    attacked.content(
      "demo",
      { type: "demonstration", template: "[{{v}}]", variables: [{ name: "v", source: "elements.e.example_output" }] },
      { elements: [{ name: "e", example_output: v }] },
    );
    expect((await attacked.generate("demo")).answer.content).toBe(`[${v}]`);
  }
});
