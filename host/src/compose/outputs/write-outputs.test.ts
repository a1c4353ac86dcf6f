import { readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { rootListOf } from "../../kernel/roots-for-tests.ts";
import { temporaryDir } from "../storage/storage-for-tests.ts";
import { meanwhile, openBook, type TestBench } from "./bench-for-tests.ts";
import { checkOutputs } from "./check-outputs.ts";
import { writeOutputs } from "./write-outputs.ts";

const outputs = (...files: string[]) => files.map((file) => ({ file, format: "markdown" }));

describe("several outputs", () => {
  it("are all written, and output_path takes the place of the first", async () => {
    const bench = await openBook();
    await bench.save([{ id: "a" }], { outputs: outputs("one.md", "two/two.md", "three.md") });
    const answer = await bench.assemble({ output_path: "first.md" });
    expect(answer.output_path).toBe("first.md");
    expect(["first.md", "two/two.md", "three.md"].map(bench.file)).toEqual(["Alpha", "Alpha", "Alpha"]);
    expect(() => bench.file("one.md")).toThrow("ENOENT");
    expect((await bench.assemblies.last("book"))?.outputs).toEqual(["first.md", "two/two.md", "three.md"]);
  });

  it("are skipped as a whole where one is there, which is named", async () => {
    const bench = await openBook();
    await bench.save([{ id: "a" }], { outputs: outputs("one.md", "two.md") });
    writeFileSync(join(bench.root, "two.md"), "mine");
    const answer = await bench.assemble();
    expect(answer).toMatchObject({
      status: "skipped",
      output_path: "two.md",
      size_bytes: 4,
      metadata: { existing: ["two.md"] },
    });
    expect(() => bench.file("one.md")).toThrow("ENOENT");
    expect((await bench.assemble({ force: true })).status).toBe("reassembled");
    expect(["one.md", "two.md"].map(bench.file)).toEqual(["Alpha", "Alpha"]);
  });

  it.each([
    ["x.md", "x.md"],
    ["x.md", "./a/../x.md"],
    ["x.md", "workspace://x.md"],
    ["x", "x/y.md"],
    ["x/y.md", "x"],
  ])("cannot be in each other's way: %j and %j", async (one, other) => {
    const bench = await openBook();
    await bench.save([{ id: "a" }], { outputs: outputs(one, other) });
    const before = readdirSync(bench.root);
    expect((await bench.refusal({ force: true })).message).toContain("another output goes to");
    expect(readdirSync(bench.root)).toEqual(before);
  });

  it("are not too many", async () => {
    const bench = await openBook();
    await bench.save([{ id: "a" }], { outputs: outputs(...Array.from({ length: 101 }, (_, at) => `${at}.md`)) });
    expect((await bench.refusal()).code).toBe("assembly_failed");
  });
});

describe("what came meanwhile", () => {
  it("is left alone: the assembly is skipped", async () => {
    const bench: TestBench = await openBook({
      over: meanwhile(() => writeFileSync(join(bench.root, "book.md"), "mine")),
    });
    expect(await bench.assemble()).toMatchObject({ status: "skipped", content_count: 0 });
    expect(bench.file("book.md")).toBe("mine");
  });

  it("is left alone in the last moment too, and what was written before is told", async () => {
    const root = temporaryDir();
    const checked = await checkOutputs(outputs("one.md", "two.md"), rootListOf({ project: root }));
    writeFileSync(join(root, "two.md"), "mine");
    const texts = ["1", "2"];
    await expect(writeOutputs(checked, { texts, replace: false })).rejects.toThrow(
      expect.objectContaining({
        code: "write_failed",
        details: expect.objectContaining({ path: "two.md", reason: expect.any(String), written: ["one.md"] }),
      }),
    );
    expect(readdirSync(root).toSorted()).toEqual(["one.md", "two.md"]);
  });

  it("is replaced itself, never what it leads to", async () => {
    const [root, outside] = [temporaryDir(), temporaryDir()];
    const checked = await checkOutputs(outputs("one.md"), rootListOf({ project: root }));
    symlinkSync(join(outside, "secret.txt"), join(root, "one.md"));
    await writeOutputs(checked, { texts: ["1"], replace: true });
    expect(readdirSync(outside)).toEqual([]);
    expect(readdirSync(root)).toEqual(["one.md"]);
  });
});
