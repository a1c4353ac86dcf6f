import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { contentConfig, patternConfig } from "../configs/configs-for-tests.ts";
import { badExamples, callTool, createBench, testCall } from "../make/bench-for-tests.ts";
import { describeGenerationFailures } from "../make/generation-failures-for-tests.ts";
import { generateContentTool } from "./generate-content.ts";

const LETTER = patternConfig(
  { template: "Dear {{ name }}" },
  { metadata: { ...contentConfig().metadata, output_format: "markdown" } },
);
const MINE = patternConfig({ type: "mine" }, { id: "mine" });
const never = (): Promise<never> => new Promise(() => undefined);

const setUp = (options: Parameters<typeof createBench>[0] = {}) => {
  const bench = createBench(options);
  bench.save(LETTER);
  bench.save(MINE);
  const tool = generateContentTool(bench);
  const call = (args: object, signal?: AbortSignal) => callTool(tool, { ...args }, testCall(signal));
  return { bench, tool, call };
};

describe("generate_content", () => {
  test("makes a text, stores it and tells how it was made", async () => {
    const { bench, call } = setUp();
    const answer = await call({ content_config_id: "letter", context: '{"name":"Ada"}' });
    const [version] = await bench.versions.versionsOf("letter");
    expect(answer).toEqual({
      success: true,
      content_id: "letter",
      content: "Dear Ada",
      generator: "template_fill",
      status: "generated",
      metadata: {
        ephemeral_stored: true,
        version_id: version?.version_id,
        context_variables: ["name"],
        context_digest: version?.context_digest,
        generator_version: "1.0.0",
        selection_rule: "placeholder",
      },
      duration_ms: 0,
    });
    expect(version).toMatchObject({ format: "markdown", approved: false, size_bytes: 8 });
    expect(await bench.versions.readText(version!)).toBe("Dear Ada");
    expect(bench.told).toEqual(["content://letter"]);
  });

  test("gives a stored text again only where all that it was made of is the same", async () => {
    const { bench, call } = setUp();
    const ask = async (context: object) => {
      const { content, status } = await call({ content_config_id: "letter", context });
      return [content, status];
    };
    expect(await ask({ name: "Ada" })).toEqual(["Dear Ada", "generated"]);
    expect(await ask({ name: "Ada" })).toEqual(["Dear Ada", "skipped"]);
    expect(await ask({ name: "Bob" })).toEqual(["Dear Bob", "generated"]);
    expect(await ask({ name: "Ada" })).toEqual(["Dear Ada", "generated"]);
    bench.save(patternConfig({ template: "Hello {{ name }}" }));
    expect(await ask({ name: "Ada" })).toEqual(["Hello Ada", "generated"]);
    expect(bench.told).toHaveLength(4);
  });

  test("says of a text that is given again that it is, and where it is stored", async () => {
    const { call } = setUp();
    const args = { content_config_id: "letter", context: { name: "Ada" } };
    const first = (await call(args))["metadata"] as object;
    expect((await call(args))["metadata"]).toEqual({ ...first, reason: "already_exists", from_cache: true });
  });

  test("makes it again when forced, and says whether there was one", async () => {
    const { bench, call } = setUp();
    const args = { content_config_id: "letter", context: { name: "Ada" }, force: true };
    expect(await call(args)).toMatchObject({ status: "generated" });
    expect(await call(args)).toMatchObject({ status: "regenerated" });
    expect(await bench.versions.versionsOf("letter")).toHaveLength(2);
  });

  test("never gives the text of one context for another, in whatever order and however many at once", async () => {
    const name = fc.constantFrom("Ada", "Bob", 1, "1", true, null, ["x"], { a: 1 }, { a: "1" });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ name, force: fc.boolean() }), { minLength: 1, maxLength: 8 }),
        async (asks) => {
          const bench = createBench();
          bench.save(patternConfig({ template: "{{ name | tojson }}" }));
          const tool = generateContentTool(bench);
          const ask = (each: (typeof asks)[number]) =>
            callTool(tool, { content_config_id: "letter", context: { name: each.name }, force: each.force });
          for (const each of await Promise.all(asks.map(ask))) expect(each["success"]).toBe(true);
          const answers = await Promise.all(asks.map(ask));
          const told = answers.map(({ content }) => JSON.parse(content as string) as unknown);
          expect(told).toEqual(asks.map((each) => each.name));
        },
      ),
      { numRuns: 15 },
    );
  });

  test("makes one text for equal requests at once, and the others are given it", async () => {
    const { promise, resolve } = Promise.withResolvers<string>();
    const { bench, call } = setUp({ generators: { mine: { run: () => promise } } });
    const asked = Array.from({ length: 5 }, () => call({ content_config_id: "mine" }));
    resolve("text");
    const statuses = (await Promise.all(asked)).map(({ status }) => status);
    // Which of the five comes first depends on whose files are read first.
    expect(statuses.filter((status) => status === "generated")).toHaveLength(1);
    expect(statuses.filter((status) => status === "skipped")).toHaveLength(4);
    expect(bench.runs()).toBe(1);
  });

  test("lets requests with other contexts overlap", async () => {
    let running = 0;
    const { promise: both, resolve } = Promise.withResolvers<string>();
    const run = (): Promise<string> => {
      if (++running === 2) resolve("text");
      return both;
    };
    const { call } = setUp({ generators: { mine: { run } } });
    const asked = [1, 2].map((n) => call({ content_config_id: "mine", context: { n } }));
    expect(await Promise.all(asked)).toMatchObject([{ status: "generated" }, { status: "generated" }]);
  });

  test("makes it for the next in turn when the first one's caller gives up, who is told at once", async () => {
    const { promise: begun, resolve } = Promise.withResolvers<void>();
    let runs = 0;
    const run = (): Promise<string> => {
      resolve();
      return ++runs === 1 ? never() : Promise.resolve("text");
    };
    const { bench, call } = setUp({ generators: { mine: { run } } });
    const stop = new AbortController();
    const first = call({ content_config_id: "mine" }, stop.signal);
    await begun;
    const second = call({ content_config_id: "mine" });
    stop.abort(new Error("given up"));
    await expect(first).rejects.toThrow("given up");
    expect(await second).toMatchObject({ status: "generated", content: "text" });
    expect(await bench.versions.versionsOf("mine")).toHaveLength(1);
  });

  test("stores nothing for a caller that gave up while the text was made", async () => {
    const stop = new AbortController();
    const run = (): Promise<string> => {
      stop.abort(new Error("given up"));
      return Promise.resolve("text");
    };
    const { bench, call } = setUp({ generators: { mine: { run } } });
    await expect(call({ content_config_id: "mine" }, stop.signal)).rejects.toThrow("given up");
    expect(await bench.versions.versionsOf("mine")).toEqual([]);
  });

  test("does not give again what may include other files each time", async () => {
    const { bench, call } = setUp();
    bench.save(patternConfig({ template: "{% include which %}" }));
    bench.write("templates/a.md", "one");
    const args = { content_config_id: "letter", context: { which: "a.md" } };
    expect(await call(args)).toMatchObject({ status: "generated", content: "one" });
    bench.write("templates/a.md", "two");
    expect(await call(args)).toMatchObject({ status: "generated", content: "two" });
  });

  test("asks the model again where the stored text was only a stand-in, and tells what a generator says beside it", async () => {
    let isUp = false;
    const run = () =>
      Promise.resolve({
        text: "x",
        version: "1.0.0",
        metadata: isUp ? { tokens: 7, version_id: "a lie" } : { fallback: true },
      });
    const { call } = setUp({ generators: { mine: { run } } });
    expect(await call({ content_config_id: "mine" })).toMatchObject({
      status: "generated",
      metadata: { fallback: true },
    });
    isUp = true;
    const second = await call({ content_config_id: "mine" });
    expect(second).toMatchObject({ status: "generated", metadata: { tokens: 7 } });
    expect(second).not.toMatchObject({ metadata: { version_id: "a lie" } });
  });

  test("stores no value of the context", async () => {
    const { bench, call } = setUp();
    await call({ content_config_id: "letter", context: { name: "Ada", unused: "a-secret-value" } });
    const [version] = await bench.versions.versionsOf("letter");
    expect(JSON.stringify(version)).not.toContain("a-secret-value");
  });

  test("counts a text as approved as its config says", async () => {
    const { bench, call } = setUp();
    bench.save({ ...LETTER, evolution: { stage: "approved" } });
    await call({ content_config_id: "letter", context: { name: "Ada" } });
    expect(await bench.versions.versionsOf("letter")).toMatchObject([{ approved: true }]);
  });

  test("has examples that its schema takes", () => {
    expect(badExamples(setUp().tool)).toEqual([]);
  });
});

describeGenerationFailures("generate_content", generateContentTool);
