import { describe, expect, it } from "vitest";
import { Queue, QUEUE_LIMITS } from "../queue.ts";
import type { CalledOn } from "../workbench.ts";
import { openBench, openBook } from "./bench-for-tests.ts";

const failed = (code: string, message = "It failed.", details: object = {}): CalledOn => ({
  ok: false,
  code,
  message,
  details: { ...details },
});

describe("generate_missing", () => {
  it("generates only what is not stored, in this context, by calls of their own", async () => {
    const bench = await openBook();
    await bench.save([
      { id: "a" },
      { id: "c" },
      { id: "d", required: false },
      { id: "c", order: 1 },
      { id: "e", conditions: { never: true } },
    ]);
    const answer = await bench.assemble({ generate_missing: true, context: { x: 1 } });
    expect(bench.asked.map(({ tool, args }) => [tool, args])).toEqual([
      ["generate_content", { content_config_id: "c", context: { x: 1 } }],
      ["generate_content", { content_config_id: "d", context: { x: 1 } }],
    ]);
    expect(bench.file("book.md")).toBe("made c\n\nAlpha\n\nmade c\n\nmade d");
    expect(answer.metadata.skipped_components.map(({ content_id: id }) => id)).toEqual(["e"]);
    await bench.assemble({ generate_missing: true, force: true });
    expect(bench.asked).toHaveLength(2);
  });

  it("uses the very version that was made, though another of another context came meanwhile", async () => {
    const bench = openBench({
      generate: async (id, own) => {
        const { version_id } = await own.add(id, "ours");
        await own.add(id, "of somebody else", { context_digest: "sha256:other" });
        return { ok: true, value: { metadata: { version_id } } };
      },
    });
    await bench.save([{ id: "c" }]);
    await bench.assemble({ generate_missing: true });
    expect(bench.file("book.md")).toBe("ours");
  });

  it("goes without an optional one that failed, and says why", async () => {
    const bench = openBench({ generate: () => Promise.resolve(failed("missing_credential", "Missing credential: X")) });
    await bench.add("a", "Alpha");
    await bench.save([{ id: "a" }, { id: "c", required: false }]);
    expect((await bench.assemble({ generate_missing: true })).metadata.skipped_components).toEqual([
      { content_id: "c", reason: "it could not be generated: missing_credential: Missing credential: X" },
    ]);
    expect(bench.file("book.md")).toBe("Alpha");
  });

  it("says why a required one failed, begins nothing more after it, and writes nothing", async () => {
    const bench = openBench({
      limits: { max_concurrent_generations: 1 },
      generate: () => Promise.resolve(failed("config_not_found", "There is no c.", { next: "draft_config" })),
    });
    await bench.save([{ id: "o", required: false }, { id: "c" }, { id: "d" }]);
    const no = await bench.refusal({ generate_missing: true });
    expect(no).toMatchObject({
      code: "content_missing",
      message: '"c" could not be generated: There is no c.',
      details: {
        missing_content: ["c", "d"],
        causes: [{ content_id: "c", code: "config_not_found", message: "There is no c.", next: "draft_config" }],
        next: 'draft_config; generate_content {"content_config_id":"d"}',
      },
    });
    expect(bench.asked.map(({ args }) => args["content_config_id"])).toEqual(["c"]);
    expect(() => bench.file("book.md")).toThrow("ENOENT");
  });

  it("generates nothing where a child is pinned to a version that is not there", async () => {
    const bench = await openBook();
    await bench.save([{ id: "a", retrievalStrategy: "version", version: "2020" }, { id: "c" }]);
    expect(await bench.refusal({ generate_missing: true })).toMatchObject({
      code: "content_missing",
      message: '"a" has no version 2020.',
      details: {
        missing_versions: [{ content_id: "a", version_id: "2020" }],
        next: 'query_ephemeral_storage {"content_id":"a","strategy":"all"} shows its versions',
      },
    });
    expect(bench.asked).toEqual([]);
  });

  it("still wants an approved version of what needs one", async () => {
    const bench = openBench();
    await bench.save([{ id: "c", review_required: true }]);
    expect((await bench.refusal({ generate_missing: true })).code).toBe("content_not_approved");
  });

  it("has as many made at a time as may run, and comes again where the queue is full", async () => {
    let [running, most] = [0, 0];
    const full = new Set<string>();
    const bench = openBench({
      limits: { max_concurrent_generations: 3 },
      generate: async (id, own) => {
        if (!full.has(id)) {
          full.add(id);
          return failed("queue_full", "Full.", { retry_after_ms: 1 });
        }
        most = Math.max(most, ++running);
        const { version_id } = await own.add(id, id);
        running--;
        return { ok: true, value: { metadata: { version_id } } };
      },
    });
    await bench.save(["a", "b", "c", "d", "e", "f", "g", "h"].map((id) => ({ id })));
    expect((await bench.assemble({ generate_missing: true })).content_count).toBe(8);
    expect(most).toBeGreaterThan(1);
    expect(most).toBeLessThanOrEqual(3);
    expect(bench.asked).toHaveLength(16);
  });

  it("holds no place for assemblies while others generate for it", async () => {
    const queue = new Queue({ ...QUEUE_LIMITS, atOnce: { generation: 1, assembly: 1 }, waiting: 0 });
    const bench = openBench({
      queue,
      generate: async (id, own, { call: { signal } }) => {
        const run = (): Promise<string> => own.add(id, id).then((version) => version.version_id);
        const version_id = await queue.run({ kind: "assembly", lane: null, owner: "person://ann", signal, run });
        return { ok: true, value: { metadata: { version_id } } };
      },
    });
    await bench.save([{ id: "c" }]);
    expect((await bench.assemble({ generate_missing: true })).status).toBe("assembled");
  });

  it("ends when the caller gives up, and what was under way is waited for", async () => {
    const stop = new AbortController();
    const bench = openBench({
      limits: { max_concurrent_generations: 1 },
      generate: async (id, own) => {
        stop.abort(new Error("gone"));
        const { version_id } = await own.add(id, id);
        return { ok: true, value: { metadata: { version_id } } };
      },
    });
    await bench.save([{ id: "c" }, { id: "d" }]);
    await expect(bench.assemble({ generate_missing: true }, stop.signal)).rejects.toThrow("gone");
    expect(bench.asked).toHaveLength(1);
    expect(await bench.versions.versionsOf("c")).toHaveLength(1);
  });
});
