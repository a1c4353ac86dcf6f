import { describe, expect, test } from "vitest";
import type { ContentConfig, InputSource } from "../configs/config-types.ts";
import { contentConfig, patternConfig } from "../configs/configs-for-tests.ts";
import type { Context } from "../configs/read-context.ts";
import { Queue, QUEUE_LIMITS } from "../queue.ts";
import { newVersion } from "../storage/storage-for-tests.ts";
import type { Made, Prepared } from "../workbench.ts";
import { createBench, type BenchOptions, type TestBench } from "./bench-for-tests.ts";
import { sourcePorts } from "./source-ports.ts";

const { signal: calm } = new AbortController();

const prepare = (bench: TestBench, config: ContentConfig, context: Context = {}): Promise<Prepared> =>
  bench.maker.prepare({ config, context, run: null, owner: "person://ann", signal: calm });

const make = async (bench: TestBench, config: ContentConfig, context: Context = {}, signal = calm): Promise<Made> =>
  bench.maker.make(await bench.maker.prepare({ config, context, run: null, owner: "person://ann", signal }));

const withSource = (source: Partial<InputSource>, template = "{{ s }}"): ContentConfig =>
  patternConfig({ template }, { inputs: { sources: [{ id: "s", source_locator: "", ...source }] } });

const never = (): Promise<never> => new Promise(() => undefined);

const madeUp = (run: NonNullable<BenchOptions["generators"]>[string]["run"], p95?: number): BenchOptions => ({
  generators: { mine: { run, ...(p95 === undefined ? {} : { upstream: { expected_latency_ms: { p95 } } }) } },
});

const MINE = patternConfig({ type: "mine" });

describe("a text", () => {
  test("is made by the generator that the rules choose, and it is told which rule", async () => {
    const made = await make(createBench(), patternConfig({ template: "Dear {{ name }}" }), { name: "Ada" });
    expect(made).toMatchObject({ text: "Dear Ada", version: "1.0.0", prepared: { rule: "placeholder" } });
  });

  test("takes the caller's value, else that of a source, else that of the config", async () => {
    const config = patternConfig(
      { template: "{{ a }}{{ b }}{{ c }}", generation_config: { context: { a: 1, b: 1, c: 1 } } },
      { inputs: { sources: ["b", "c"].map((id) => ({ id, source_type: "inline_data", source_locator: "2" })) } },
    );
    const made = await make(createBench(), config, { c: 3 });
    expect(made.text).toBe("123");
    expect(made.prepared.contextVariables).toEqual(["a", "b", "c"]);
  });

  test("holds files that the config's own context names, and none outside the roots", async () => {
    const bench = createBench();
    bench.write("facts.json", '{"name":"Ada"}');
    const context = { facts: { source: "file", path: "facts.json" } };
    const config = patternConfig({ template: "{{ facts.name }}", generation_config: { context } });
    expect((await make(bench, config)).text).toBe("Ada");
    await expect(
      make(
        bench,
        patternConfig({
          template: "{{ a }}",
          generation_config: { context: { a: { source: "file", path: "../x" } } },
        }),
      ),
    ).rejects.toMatchObject({ code: "generation_failed" });
  });

  test("keeps values as they are, escapes and replacement patterns included", async () => {
    const value = "C:\\new\\table $& $1 {{ other }} {% x %}";
    const made = await make(createBench(), patternConfig({ template: "{{ v }}\\n" }), { v: value, other: "no" });
    expect(made.text).toBe(`${value}\n`);
  });

  test("is the same that would be read again, whatever its characters", async () => {
    const made = await make(createBench(), patternConfig({ template: "{{ v }}" }), { v: "a\ud800b" });
    expect(made.text).toBe("a\ufffdb");
  });

  test("has no more bytes than are allowed", async () => {
    const bench = createBench({ ...madeUp(() => Promise.resolve("äöü")), limits: { max_content_size_bytes: 5 } });
    await expect(make(bench, MINE)).rejects.toMatchObject({
      code: "content_too_large",
      details: { size: 6, limit: 5 },
    });
  });
});

describe("a source", () => {
  test.each<[Partial<InputSource>, string]>([
    [{ source_type: "inline_data", source_locator: { a: 1 } }, '{"a":1}'],
    [{ source_type: "inline_data", source_locator: "plain" }, "plain"],
    [{ source_type: "external_file", source_locator: "notes.txt" }, "of a file"],
    [{ source_type: "external_file", source_locator: "data.json", data_selector: "/list/1" }, "two"],
    [{ source_type: "ephemeral_output", source_locator: "intro" }, "second"],
    [{ source_type: "ephemeral_output", source_locator: "intro:approved_only" }, "first"],
    [{ source_type: "ephemeral_output", source_locator: "intro:all" }, '["first","second"]'],
    [{ source_type: "content_config", source_locator: "other", data_selector: "/metadata/description" }, "A letter."],
    [{ source_type: "git_reference", source_locator: "main:a/b.txt" }, "committed"],
    [{ source_type: "external_file", source_locator: "absent", required: false }, "null"],
    [{ source_type: "requirement_id", source_locator: "R-1", required: false }, "null"],
    [{ source_type: "ephemeral_output", source_locator: "../x", required: false }, "null"],
  ])("%j is in the text as %s", async (source, text) => {
    const bench = createBench({ commits: { "main:a/b.txt": "committed" } });
    bench.write("notes.txt", "of a file");
    bench.write("data.json", '{"list":["one","two"]}');
    bench.save(contentConfig({ id: "other" }));
    await bench.versions.add(newVersion("intro", "first", { approved: true }));
    await bench.versions.add(newVersion("intro", "second"));
    const config = withSource(source, "{{ s | tojson if s is not string else s }}");
    expect((await make(bench, config)).text.replaceAll(", ", ",").replaceAll(": ", ":")).toBe(text);
  });

  test.each<[Partial<InputSource>, string]>([
    [{ source_type: "external_file", source_locator: "absent" }, "there is none"],
    [{ source_type: "external_file", source_locator: "../../etc/passwd" }, "leads out of the roots"],
    [{ source_type: "ephemeral_output", source_locator: "draft-20260101T000000-0a0b0c" }, "Config ID must"],
    [{ source_type: "ephemeral_output", source_locator: "a/b" }, "invalid path characters"],
    [{ source_type: "ephemeral_output", source_locator: "intro:newest" }, "no strategy"],
    [{ source_type: "artifact_config", source_locator: "book" }, "there is none"],
    [{ source_type: "content_config", source_locator: "broken" }, "no JSON"],
    [{ source_type: "git_reference", source_locator: "main:absent" }, "there is none"],
    [{ source_type: "requirement_id", source_locator: "R-1" }, "not supported"],
  ])("%j that is required and cannot be had is named, and why", async (source, why) => {
    const bench = createBench();
    bench.write("configs/content/broken/broken-content.json", "{");
    await bench.versions.add(newVersion("draft-20260101T000000-0a0b0c", "of a draft"));
    const failed = make(bench, withSource(source));
    await expect(failed).rejects.toMatchObject({ code: "generation_failed", details: { source: "s" } });
    await expect(failed).rejects.toThrow(why);
  });

  test("that is nested deeper than can be gone through is refused", async () => {
    const locator = `${"[".repeat(50_000)}${"]".repeat(50_000)}`;
    await expect(make(createBench(), withSource({ source_type: "inline_data", source_locator: locator })))
      .rejects //
      .toMatchObject({ code: "generation_failed", message: expect.stringContaining("nested deeper") });
  });

  test("is not read without end, however many there are", async () => {
    const big = "x".repeat(20_000_000);
    const { versions, saved } = createBench();
    const rooted = { read: () => Promise.resolve(big), git: () => Promise.resolve(big) };
    const ports = sourcePorts({ rooted, versions, saved }, calm);
    await ports.readFile("a");
    await ports.readGit("main", "a");
    await expect(ports.readFile("a")).rejects.toThrow("more than 50000000 bytes together");
  });
});

describe("what a text is made of", () => {
  const config = patternConfig({ template: "{% include 'part.md' %}{{ a }}" });
  const digests = async (bench: TestBench, over: ContentConfig = config, context: Context = { a: 1 }) =>
    (await prepare(bench, over, context)).freshness;

  test("is the same for the same, whatever the order of members", async () => {
    const bench = createBench();
    expect(await digests(bench, config, { a: 1, b: 2 })).toEqual(await digests(bench, config, { b: 2, a: 1 }));
  });

  test("is other after any change of the context, the config, or a file that the template includes", async () => {
    const bench = createBench();
    bench.write("templates/part.md", "{% include 'inner.md' %}");
    bench.write("templates/inner.md", "one");
    const first = await digests(bench);
    expect((await digests(bench, config, { a: "1" })).context_digest).not.toBe(first.context_digest);
    const other = { ...config, metadata: { ...config.metadata, version: "1.0.1" } };
    expect((await digests(bench, other)).config_digest).not.toBe(first.config_digest);
    bench.write("templates/inner.md", "two");
    const second = await digests(bench);
    expect(second.config_digest).not.toBe(first.config_digest);
    expect(second.context_digest).toBe(first.context_digest);
  });

  test("is other when a source brings something else", async () => {
    const bench = createBench();
    const from = withSource({ source_type: "external_file", source_locator: "notes.txt" });
    bench.write("notes.txt", "one");
    const first = await digests(bench, from);
    bench.write("notes.txt", "two");
    expect((await digests(bench, from)).context_digest).not.toBe(first.context_digest);
  });
});

describe("a generator", () => {
  test("that takes longer than twice what it expects is ended and told so, and its place is free again", async () => {
    let given: AbortSignal | undefined;
    const queue = new Queue({ ...QUEUE_LIMITS, atOnce: { generation: 1, assembly: 1 } });
    const slow = ({ signal }: { signal: AbortSignal }): Promise<never> => {
      given = signal;
      return never();
    };
    const bench = createBench({ ...madeUp(slow, 5), queue });
    await expect(make(bench, MINE)).rejects.toMatchObject({
      code: "generation_timeout",
      details: { generator: "mine", timeout_ms: 10 },
    });
    expect(given?.aborted).toBe(true);
    expect((await make(bench, patternConfig({ template: "{{ a }}" }), { a: 1 })).text).toBe("1");
  });

  test("whose call is given up is left at once, with the reason of the caller", async () => {
    const { promise: begun, resolve } = Promise.withResolvers<void>();
    const bench = createBench(
      madeUp(() => {
        resolve();
        return never();
      }),
    );
    const stop = new AbortController();
    const made = make(bench, MINE, {}, stop.signal);
    await begun;
    stop.abort(new Error("given up"));
    await expect(made).rejects.toThrow("given up");
  });

  test("is not begun for a caller that gave up while waiting for its turn", async () => {
    const queue = new Queue({ ...QUEUE_LIMITS, atOnce: { generation: 1, assembly: 1 } });
    const { promise: first, resolve } = Promise.withResolvers<string>();
    const bench = createBench({ ...madeUp(() => first), queue });
    const running = make(bench, MINE);
    const stop = new AbortController();
    const waiting = make(bench, MINE, {}, stop.signal).catch((error: unknown) => error);
    await new Promise((done) => setImmediate(done));
    stop.abort(new Error("given up"));
    expect(await waiting).toEqual(new Error("given up"));
    resolve("text");
    expect((await running).text).toBe("text");
    expect(bench.runs()).toBe(1);
  });

  test("that lacks a credential is never called", async () => {
    const run = (): Promise<string> => Promise.resolve("made");
    const generators = { mine: { run, upstream: { credentials_required: ["MY_KEY"] } } };
    const bench = createBench({ generators });
    await expect(make(bench, MINE)).rejects.toMatchObject({
      code: "missing_credential",
      message: "Missing credential: MY_KEY",
    });
    expect(bench.runs()).toBe(0);
    expect((await make(createBench({ generators, credentials: ["MY_KEY"] }), MINE)).text).toBe("made");
  });

  test("that is not safe for overlapping calls runs once at a time, and others do not wait for it", async () => {
    let [now, most] = [0, 0];
    const run = async (): Promise<string> => {
      most = Math.max(most, ++now);
      await new Promise((done) => setImmediate(done));
      now--;
      return "made";
    };
    const bench = createBench({ generators: { mine: { run, upstream: { concurrency_safe: false } }, free: { run } } });
    await Promise.all(Array.from({ length: 5 }, () => make(bench, MINE)));
    expect(most).toBe(1);
    await Promise.all(Array.from({ length: 5 }, () => make(bench, patternConfig({ type: "free" }))));
    expect(most).toBe(5);
  });

  test("that there is not is named, and no other is chosen", async () => {
    await expect(make(createBench(), patternConfig({ type: "jinja3", template: "{{ a }}" }))).rejects.toMatchObject({
      code: "generator_not_found",
    });
  });
});
