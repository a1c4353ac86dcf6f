/** What becomes of an assembly when a stored text of it is not what it should be. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { openBench, openBook, type BenchOptions, type TestBench } from "../outputs/bench-for-tests.ts";
import type { StoredVersion } from "../storage/stored-version.ts";
import type { Workbench } from "../workbench.ts";

const MERGED = {
  compositionStrategy: "merge",
  outputs: [
    { file: "all.json", format: "json" },
    { file: "all.yaml", format: "yaml" },
  ],
};

/** Another text of the same length takes the place of a stored one. */
const spoil = (bench: TestBench, id: string, { old, text }: { old: string; text: string }): void => {
  const folder = join(bench.base, "ephemeral", id);
  const names = readdirSync(folder).filter((name) => !name.endsWith(".meta.json"));
  const name = names.find((each) => readFileSync(join(folder, each), "utf8") === old)!;
  writeFileSync(join(folder, name), text);
};

describe("an optional child", () => {
  it.each([
    ["[1]", "it is no object"],
    ["{", "it is no JSON"],
    [`{"a":${"[".repeat(3_000)}${"]".repeat(3_000)}}`, "nested deeper"],
    ['{"n":12345678901234567890}', "would be rounded"],
  ])("whose text %j cannot be merged is left out of every output and named", async (odd, reason) => {
    const bench = openBench();
    await bench.save([{ id: "a" }, { id: "odd", required: false }], MERGED);
    await bench.add("a", '{"a":1}', { format: "json" });
    await bench.add("odd", odd, { format: "json" });
    const { metadata, content_count } = await bench.assemble();
    expect(JSON.parse(bench.file("all.json"))).toEqual({ a: 1 });
    expect(bench.file("all.yaml")).toBe("a: 1\n");
    expect(content_count).toBe(1);
    expect(metadata.components.map(({ content_id: id }) => id)).toEqual(["a"]);
    expect(metadata.skipped_components).toEqual([{ content_id: "odd", reason: expect.stringContaining(reason) }]);
    await bench.save([{ id: "a" }, { id: "odd" }], MERGED);
    expect(await bench.refusal({ force: true })).toMatchObject({ code: "assembly_failed" });
  });

  it("that cannot be read is skipped and named, and a required one is missing", async () => {
    const bench = await openBook();
    await bench.add("b", "Gamma");
    spoil(bench, "b", { old: "Beta", text: "Bets" });
    const all = { id: "b", retrievalStrategy: "all" } as const;
    await bench.save([{ id: "a" }, { ...all, required: false }]);
    const { skipped_components: skipped } = (await bench.assemble()).metadata;
    const [first] = await bench.versions.versionsOf("b");
    expect(skipped).toEqual([
      { content_id: "b", reason: `its version ${first!.version_id} is gone, or not as it was stored` },
    ]);
    expect(bench.file("book.md")).toBe("Alpha");
    await bench.save([{ id: "a" }, all]);
    expect(await bench.refusal({ force: true })).toMatchObject({
      code: "content_missing",
      details: {
        missing_content: ["b"],
        available_content: ["a"],
        total_required: 2,
        missing_versions: [{ content_id: "b", version_id: first!.version_id }],
      },
    });
    expect(bench.file("book.md")).toBe("Alpha");
  });
});

describe("an optional child that the system does not let the host read", () => {
  const broken = (): never => {
    throw Object.assign(new Error("broken"), { code: "EIO" });
  };

  it.each(["versionsOf", "readText"] as const)("is skipped and named (%s)", async (what) => {
    const over: BenchOptions["over"] = ({ versions }) => {
      const store = {
        versionsOf: async (id: string) => (what === "versionsOf" && id === "b" ? broken() : versions.versionsOf(id)),
        readText: async (version: StoredVersion) =>
          what === "readText" && version.content_id === "b" ? broken() : versions.readText(version),
      };
      return { versions: store as Workbench["versions"] };
    };
    const bench = await openBook({ over });
    await bench.save([{ id: "a" }, { id: "b", required: false }]);
    expect((await bench.assemble({ generate_missing: true })).metadata.skipped_components).toEqual([
      { content_id: "b", reason: expect.stringContaining("cannot be read (EIO)") },
    ]);
    expect([bench.file("book.md"), bench.asked]).toEqual(["Alpha", []]);
    await bench.save([{ id: "a" }, { id: "b" }]);
    await expect(bench.assemble({ force: true })).rejects.toThrow("broken");
  });
});

describe("an assembly", () => {
  it.each([
    ["concat", 120, "The parts together have 120 bytes; at most 100 are allowed."],
    ["merge", 420, "The parts together have 420 bytes; more than 4 times the 100 that are allowed."],
  ])("by %s of too much tells the limit that is advertised, and what was measured", async (strategy, size, message) => {
    const bench = openBench({ limits: { max_content_size_bytes: 100 } });
    await bench.save([{ id: "a" }, { id: "b" }], { compositionStrategy: strategy });
    for (const id of ["a", "b"]) await bench.add(id, "x".repeat(size / 2));
    expect(await bench.refusal()).toMatchObject({
      code: "content_too_large",
      message,
      details: { size, limit: 100, measured: "parts together" },
    });
  });

  it("that is skipped for a later output names the file that is there", async () => {
    const bench = await openBook();
    await bench.save([{ id: "a" }], {
      outputs: [
        { file: "new.md", format: "markdown" },
        { file: "old.md", format: "markdown" },
      ],
    });
    writeFileSync(join(bench.root, "old.md"), "mine");
    expect(await bench.assemble()).toMatchObject({
      status: "skipped",
      output_path: "old.md",
      output_uri: pathToFileURL(join(bench.root, "old.md")).href,
      size_bytes: 4,
      metadata: { existing: ["old.md"] },
    });
  });
});
