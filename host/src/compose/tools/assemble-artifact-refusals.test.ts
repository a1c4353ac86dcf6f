import { rmSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { meanwhile, openBook, snapshot, type TestBench } from "../outputs/bench-for-tests.ts";
import { Queue, QUEUE_LIMITS } from "../queue.ts";
import type { Workbench } from "../workbench.ts";
import { assembleArtifactTool } from "./assemble-artifact.ts";

const { guide } = assembleArtifactTool({} as Workbench, {} as Parameters<typeof assembleArtifactTool>[1]);

describe("a refusal to assemble", () => {
  const code = async (bench: TestBench, args: object = {}): Promise<string> => (await bench.refusal({ ...args })).code;
  const seen = new Set<string>();
  const expectCode = async (wanted: string, bench: TestBench, args: object = {}): Promise<void> => {
    const before = snapshot(bench.root);
    expect(await code(bench, args)).toBe(wanted);
    expect(snapshot(bench.root)).toEqual(before);
    seen.add(wanted);
  };

  it.each(["", "..", "a/b", "a\\b", "A", "é", "a\0", "x".repeat(300), "draft-20260101T000000-abcdef", 3, null])(
    "names the id %j",
    async (artifact_config_id) => {
      const bench = await openBook();
      const before = snapshot(bench.root);
      expect(await code(bench, { artifact_config_id })).toBe("invalid_config_id");
      expect(snapshot(bench.root)).toEqual(before);
    },
  );

  it("has a code for each reason, and every code of its guide occurs", async () => {
    const bench = await openBook();
    await expectCode("config_not_found", bench, { artifact_config_id: "nobody" });
    await expectCode("invalid_config_id", bench, { artifact_config_id: "../book" });
    await expectCode("invalid_context", bench, { context: [] });
    await expectCode("invalid_context", bench, { context: { a: { source: "file", path: "x" } } });
    await expectCode("invalid_output_path", bench, { output_path: "../x" });
    await bench.save([{ id: "b", review_required: true }]);
    await expectCode("content_not_approved", bench);
    await expectCode("content_not_approved", bench, { generate_missing: true });
    await bench.save([{ id: "a" }], { compositionStrategy: "merge", outputs: [{ file: "x", format: "html" }] });
    await expectCode("assembly_failed", bench);
    await bench.save([{ id: "a" }, { id: "big" }]);
    await bench.add("big", "x".repeat(9_999));
    await expectCode("content_too_large", bench);
    await bench.save([{ id: "a" }, { id: "gone" }]);
    await expectCode("content_missing", bench);
    expect((await bench.refusal()).details).toEqual({
      missing_content: ["gone"],
      available_content: ["a"],
      total_required: 2,
      suggestion: expect.stringContaining('generate_content {"content_config_id":"gone"}'),
      next: expect.stringContaining('generate_content {"content_config_id":"gone"}'),
    });
    await expectCode("too_many_components", await openBook({ limits: { max_artifact_components: 1 } }));
    const queue = new Queue({ ...QUEUE_LIMITS, atOnce: { generation: 0, assembly: 0 }, waiting: 0 });
    await expectCode("queue_full", await openBook({ queue }));
    const gone: TestBench = await openBook({ over: meanwhile(() => rmSync(gone.root, { recursive: true })) });
    expect(await gone.refusal()).toMatchObject({ code: "write_failed", details: { path: "book.md" } });
    seen.add("write_failed");
    expect([...seen].toSorted()).toEqual(guide.common_errors.map((each) => each.code).toSorted());
  });

  it("counts each version as a component, and does not generate for what is too much", async () => {
    const bench = await openBook({ limits: { max_artifact_components: 3 } });
    await bench.save([{ id: "a", retrievalStrategy: "all" }]);
    for (const text of ["2", "3"]) await bench.add("a", text);
    expect((await bench.assemble()).metadata.components).toHaveLength(3);
    await bench.add("a", "4");
    expect(await bench.refusal({ force: true })).toMatchObject({ code: "too_many_components", details: { count: 4 } });
    await bench.save(["b", "c", "d", "e"].map((id) => ({ id })));
    expect(await code(bench, { force: true, generate_missing: true })).toBe("too_many_components");
    expect(bench.asked).toEqual([]);
  });

  it("says what is missing where a text was removed between planning and reading", async () => {
    const bench: TestBench = await openBook({
      over: meanwhile(() => bench.versions.remove("a", { keepMeta: false })),
    });
    expect(await code(bench)).toBe("content_missing");
    expect(() => bench.file("book.md")).toThrow("ENOENT");
  });
});
