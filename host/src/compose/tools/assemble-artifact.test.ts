import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { openBench, openBook, snapshot } from "../outputs/bench-for-tests.ts";
import type { Workbench } from "../workbench.ts";
import { assembleArtifactTool } from "./assemble-artifact.ts";

const described = assembleArtifactTool({} as Workbench, {} as Parameters<typeof assembleArtifactTool>[1]);
const ajv = new Ajv2020({ strict: false });
const isAnswer = ajv.compile(described.outputSchema);

describe("assemble_artifact", () => {
  it("writes what is stored, in order, and says of what it is made", async () => {
    const bench = await openBook();
    const answer = await bench.assemble();
    expect(bench.file("book.md")).toBe("Alpha\n\nBeta");
    const [a] = await bench.versions.versionsOf("a");
    const [b] = await bench.versions.versionsOf("b");
    expect(answer).toEqual({
      artifact_id: "book",
      output_path: "book.md",
      output_uri: pathToFileURL(join(bench.root, "book.md")).href,
      content_count: 2,
      size_bytes: 11,
      status: "assembled",
      metadata: {
        composition_strategy: "concat",
        components: [
          { content_id: "a", version_id: a?.version_id, size_bytes: 5 },
          { content_id: "b", version_id: b?.version_id, size_bytes: 4 },
        ],
        skipped_components: [],
        separator: "\n\n",
        total_assembly_time_ms: expect.any(Number),
        outputs: [{ path: "book.md", format: "markdown", size_bytes: 11 }],
      },
    });
    expect(Object.keys(answer)).toEqual(
      "artifact_id output_path output_uri content_count size_bytes status metadata".split(" "),
    );
    expect(isAnswer({ success: true, ...answer, duration_ms: 1 })).toBe(true);
    expect(bench.changed).toEqual(["config://artifact/book"]);
    expect(await bench.assemblies.last("book")).toMatchObject({ outputs: ["book.md"], components: [{}, {}] });
  });

  it("leaves a file alone that is there, generates nothing for it, and replaces it only when told to", async () => {
    const bench = await openBook();
    await bench.save([{ id: "a" }, { id: "none" }]);
    writeFileSync(join(bench.root, "book.md"), "mine");
    const skipped = await bench.assemble({ generate_missing: true });
    expect(skipped).toMatchObject({ status: "skipped", content_count: 0, size_bytes: 4, output_path: "book.md" });
    expect(skipped.metadata).toMatchObject({ components: [], reason: "already_exists", existing: ["book.md"] });
    expect(isAnswer({ success: true, ...skipped, duration_ms: 1 })).toBe(true);
    expect([bench.file("book.md"), bench.asked, bench.changed]).toEqual(["mine", [], []]);
    expect(await bench.assemblies.last("book")).toBeNull();
    await bench.add("none", "None");
    expect(await bench.assemble({ force: true })).toMatchObject({ status: "reassembled", content_count: 2 });
    expect(bench.file("book.md")).toBe("Alpha\n\nNone");
    expect((await bench.assemble({ force: true, output_path: "other.md" })).status).toBe("assembled");
  });

  it("is written once by two that want the same", async () => {
    const bench = await openBook();
    const answers = await Promise.all([bench.assemble(), bench.assemble(), bench.assemble()]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual(["assembled", "skipped", "skipped"]);
  });

  it("writes nothing for a caller that gave up", async () => {
    const bench = await openBook();
    await expect(bench.assemble({}, AbortSignal.abort(new Error("gone")))).rejects.toThrow("gone");
    expect(snapshot(bench.root)).not.toHaveProperty([join(bench.root, "book.md")]);
  });

  it("takes exactly the versions that its children ask for", async () => {
    const bench = openBench();
    const first = await bench.add("a", "one");
    await bench.add("a", "two", { approved: true });
    await bench.add("a", "three");
    const text = async (child: object): Promise<string> => {
      await bench.save([{ id: "a", ...child }]);
      await bench.assemble({ force: true });
      return bench.file("book.md");
    };
    expect(await text({})).toBe("three");
    expect(await text({ retrievalStrategy: "all" })).toBe("one\n\ntwo\n\nthree");
    expect(await text({ retrievalStrategy: "version", version: first.version_id })).toBe("one");
    expect(await text({ retrievalStrategy: "approved_only" })).toBe("two");
    expect(await text({ review_required: true })).toBe("two");
    expect(bench.asked).toEqual([]);
  });

  it("goes without children whose condition does not hold in this context, also one that is a text", async () => {
    const bench = await openBook();
    await bench.save([{ id: "a" }, { id: "b", conditions: { "env.name": "prod" } }]);
    expect((await bench.assemble({ context: { env: { name: "test" } } })).metadata.skipped_components).toEqual([
      { content_id: "b", reason: "condition not met: env.name" },
    ]);
    await bench.assemble({ force: true, context: '{"env":{"name":"prod"}}' });
    expect(bench.file("book.md")).toBe("Alpha\n\nBeta");
  });

  it("never waits for what is optional", async () => {
    const bench = await openBook();
    const optional = { required: false } as const;
    await bench.save([
      { id: "a" },
      { id: "none", ...optional },
      { id: "b", ...optional, review_required: true },
      { id: "a", ...optional, retrievalStrategy: "version", version: "2020" },
    ]);
    expect((await bench.assemble()).metadata.skipped_components).toEqual([
      { content_id: "none", reason: "nothing is stored for it" },
      { content_id: "b", reason: "no version of it is approved" },
      { content_id: "a", reason: "it has no version 2020" },
    ]);
    expect(bench.file("book.md")).toBe("Alpha");
    await bench.save([{ id: "none", ...optional }]);
    expect(await bench.assemble({ force: true })).toMatchObject({ content_count: 0, size_bytes: 0 });
  });

  it("puts texts into a template that knows ids, order, context and the artifact", async () => {
    const bench = await openBook();
    mkdirSync(join(bench.root, "templates"));
    writeFileSync(join(bench.root, "templates/foot.txt"), "-- {{ context.by }}");
    writeFileSync(join(bench.root, "secret.txt"), "secret");
    const template = "{{ artifact.metadata.title }}:{% for id in order %} {{ id }}={{ components[id] }}{% endfor %}";
    const compositionStrategy = "template";
    const children = [{ id: "b" }, { id: "a" }];
    await bench.save(children, {
      compositionStrategy,
      compositionConfig: { template: `${template} {% include "foot.txt" %}` },
    });
    await bench.assemble({ context: { by: "me" } });
    expect(bench.file("book.md")).toBe("Book: b=Beta a=Alpha -- me");
    writeFileSync(join(bench.root, "templates/page.txt"), "{{ components.a }}!");
    await bench.save(children, { compositionStrategy, compositionConfig: { template: "page.txt" } });
    await bench.assemble({ force: true });
    expect(bench.file("book.md")).toBe("Alpha!");
    for (const bad of ["gone.txt", "{{ components.", '{% include "../secret.txt" %}', "{{ nothing.at.all }}"]) {
      await bench.save(children, { compositionStrategy, compositionConfig: { template: bad } });
      expect((await bench.refusal({ force: true })).code).toBe("assembly_failed");
    }
    expect(bench.file("book.md")).toBe("Alpha!");
  });

  it("merges by the format of each output", async () => {
    const bench = openBench();
    await bench.save([{ id: "a" }, { id: "b" }], {
      compositionStrategy: "merge",
      compositionConfig: { arrays: "unique" },
      outputs: [
        { file: "out/all.json", format: "json" },
        { file: "out/all.yaml", format: "yaml" },
      ],
    });
    await bench.add("a", '{"n":1.50,"l":[1,2],"__proto__":{"x":1},"o":{"k":null}}', { format: "json" });
    await bench.add("b", '{"l":[2,3],"o":{"k":{"deep":true}},"":"empty"}', { format: "json" });
    const answer = await bench.assemble();
    expect(bench.file("out/all.json")).toContain('"n": 1.50');
    expect(bench.file("out/all.json")).toContain('"__proto__"');
    expect(JSON.parse(bench.file("out/all.json"))).toMatchObject({
      l: [1, 2, 3],
      o: { k: { deep: true } },
      "": "empty",
    });
    expect(bench.file("out/all.yaml")).toContain("deep: true");
    expect(answer.metadata["outputs"]).toMatchObject([{ path: "out/all.json" }, { path: "out/all.yaml" }]);
    for (const odd of ["[1]", "null", "3", "{", "", "[".repeat(5_000), "\ud800", '{"a":1}{']) {
      await bench.add("b", odd, { format: "json" });
      expect((await bench.refusal({ force: true })).code).toBe("assembly_failed");
    }
    await bench.add("b", '{"n":12345678901234567890}', { format: "json" });
    expect((await bench.refusal({ force: true })).message).toContain("would be rounded");
    expect(JSON.parse(bench.file("out/all.json"))).toMatchObject({ n: 1.5 });
    await bench.save([{ id: "a" }], { compositionStrategy: "merge", outputs: [{ file: "a.py", format: "python" }] });
    expect((await bench.refusal()).code).toBe("assembly_failed");
  });

  it("names components that are only stand-ins", async () => {
    const bench = await openBook();
    await bench.add("a", "a stand-in", { fallback: true });
    await bench.save([{ id: "a" }, { id: "b" }]);
    expect((await bench.assemble()).metadata["warnings"]).toMatchObject([
      { code: "fallback_used", message: expect.stringMatching(/: a\. /) },
    ]);
  });

  it("tells what the config says and nothing here does", async () => {
    const bench = await openBook();
    await bench.save([{ id: "a" }], { outputs: [{ file: "a.md", format: "markdown", encoding: "latin-1" }] });
    expect((await bench.assemble()).metadata["warnings"]).toMatchObject([
      { code: "unsupported_field", pointer: "/metadata/outputs/0/encoding" },
    ]);
  });
});

describe("what an artifact depends on", () => {
  it("must be there before", async () => {
    const bench = await openBook();
    await bench.save([{ id: "b" }], { id: "part", outputs: [{ file: "part.md", format: "markdown" }] });
    const dependencies = ["part", { id: "stored", type: "content" }, { id: "x", required: false }, 7, "a"];
    await bench.save([{ id: "a" }], { rest: { dependencies } });
    const no = await bench.refusal();
    expect(no).toMatchObject({
      code: "assembly_failed",
      details: {
        dependencies: [
          { id: "part", type: null },
          { id: "stored", type: "content" },
        ],
        next: 'assemble_artifact {"artifact_config_id":"part"}; generate_content {"content_config_id":"stored"}',
      },
    });
    await bench.add("stored", "x");
    await bench.assemble({ artifact_config_id: "part" });
    expect((await bench.assemble()).metadata["warnings"]).toMatchObject([
      { code: "unsupported_field", pointer: "/dependencies/3" },
      { code: "dependency_missing", pointer: "/dependencies/2" },
    ]);
  });

  it("is never itself", async () => {
    const bench = await openBook();
    await bench.save([{ id: "a" }], { rest: { dependencies: ["book", "z".repeat(255)] } });
    expect((await bench.refusal()).message).toBe('The artifact "book" depends on itself.');
  });
});

describe("the description of the tool", () => {
  it("has examples that it would accept", () => {
    const isInput = ajv.compile(described.inputSchema);
    expect(described.guide.examples.length).toBeGreaterThan(1);
    for (const { input } of described.guide.examples) expect(isInput(input)).toBe(true);
    expect(isInput({ artifact_config_id: "a", extra: 1 })).toBe(false);
  });
});
