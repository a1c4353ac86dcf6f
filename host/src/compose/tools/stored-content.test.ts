import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { artifactConfig, contentConfig } from "../configs/configs-for-tests.ts";
import { callTool, isValidInput, openBench, type TestBench } from "../keep/bench-for-tests.ts";
import { newVersion } from "../storage/storage-for-tests.ts";
import { cleanupEphemeralTool } from "./cleanup-ephemeral.ts";
import { deleteContentTool } from "./delete-content.ts";
import { queryEphemeralStorageTool } from "./query-ephemeral-storage.ts";

type Args = Readonly<Record<string, unknown>>;
const query = ({ bench }: TestBench, args: Args = {}) => callTool(queryEphemeralStorageTool(bench), args);
const cleanup = ({ bench }: TestBench, args: Args = {}) => callTool(cleanupEphemeralTool(bench), args);
const remove = ({ bench }: TestBench, args: Args) => callTool(deleteContentTool(bench), args);

const store = async (test: TestBench, id: string, texts: readonly string[]): Promise<void> => {
  for (const text of texts) await test.bench.versions.add(newVersion(id, text));
};

const draftWithText = async (test: TestBench): Promise<string> => {
  const { draft_id: id } = await test.bench.drafts.create({ config_type: "content", config_data: contentConfig() });
  await store(test, id, ["of a draft"]);
  return id;
};

describe("query_ephemeral_storage", () => {
  it("tells the latest of each content, and all that is stored", async () => {
    const test = openBench();
    await store(test, "a", ["1", "22"]);
    await store(test, "b", ["333"]);
    await draftWithText(test);
    const answer = await query(test);
    expect(answer).toMatchObject({ total: 2, returned: 2 });
    expect(answer).not.toHaveProperty("next_cursor");
    expect(answer.storage).toEqual({ content_count: 2, version_count: 3, total_bytes: 6, retention_days: 30 });
    expect(Object.keys(answer.entries[0])).toEqual([
      "content_id",
      "version_id",
      "timestamp",
      "format",
      "size_bytes",
      "content_hash",
      "generator",
      "context_digest",
      "approved",
    ]);
    expect(answer.entries.map((entry: { size_bytes: number }) => entry.size_bytes)).toEqual([2, 3]);
  });

  it("marks what is only a stand-in", async () => {
    const test = openBench();
    await test.bench.versions.add({ ...newVersion("a", "1"), fallback: true });
    await store(test, "b", ["1"]);
    const { entries } = await query(test);
    expect(entries[0]).toMatchObject({ content_id: "a", fallback: true });
    expect(entries[1]).not.toHaveProperty("fallback");
  });

  it("gives the texts where they are asked for, those of a draft too", async () => {
    const test = openBench();
    await store(test, "a", ["one", "two"]);
    const { entries } = await query(test, { content_id: "a", strategy: "all", include_content: true });
    expect(entries.map(({ content }: { content: string }) => content)).toEqual(["one", "two"]);
    const id = await draftWithText(test);
    expect((await query(test, { content_id: id, include_content: true })).entries[0].content).toBe("of a draft");
  });

  it("leads through all pages by its cursor, whatever is stored meanwhile", async () => {
    const test = openBench();
    await store(test, "a", ["1", "2", "3"]);
    await store(test, "b", ["4", "5"]);
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await query(test, {
        strategy: "all",
        limit: 2,
        include_content: true,
        ...(cursor === undefined ? {} : { cursor }),
      });
      expect(page.returned).toBe(page.entries.length);
      seen.push(...page.entries.map(({ content }: { content: string }) => content));
      cursor = page.next_cursor;
      if (seen.length === 2) await store(test, "a", ["3+"]);
    } while (cursor !== undefined);
    expect(seen).toEqual(["1", "2", "3", "3+", "4", "5"]);
  });

  it("ends a page before it has too much text", async () => {
    const test = openBench();
    await store(test, "a", ["x".repeat(1_500_000), "y".repeat(1_500_000), "z"]);
    const first = await query(test, { content_id: "a", strategy: "all", include_content: true });
    expect([first.total, first.returned]).toEqual([3, 1]);
    const rest = await query(test, {
      content_id: "a",
      strategy: "all",
      include_content: true,
      cursor: first.next_cursor,
    });
    expect(rest.returned).toBe(2);
  });

  it("filters before it picks", async () => {
    const test = openBench();
    const { timestamp } = await test.bench.versions.add(newVersion("a", "old", { approved: true }));
    await test.bench.versions.add(newVersion("a", "new", { generator: "jinja2" }));
    const one = async (args: Args) => (await query(test, { include_content: true, ...args })).entries[0]?.content;
    expect(await one({ filter: { approved: true } })).toBe("old");
    expect(await one({ filter: { approved: false } })).toBe("new");
    expect(await one({ filter: { until: timestamp } })).toBe("old");
    expect(await one({ filter: { generator_type: "template_fill" } })).toBe("old");
    expect(await one({ filter: { since: "2030-01-01" } })).toBeUndefined();
    expect(await one({ strategy: `version:${timestamp}` })).toBe("old");
  });

  it.each([{ filter: { since: "soon" } }, { cursor: "x" }, { strategy: "version:" }])("refuses %j", async (args) => {
    const test = openBench();
    await store(test, "a", ["1"]);
    expect((await query(test, args)).error.code).toBe("invalid_input");
  });

  it("names the call that makes what is not there", async () => {
    const test = openBench();
    await test.save("content", "letter", contentConfig());
    await store(test, "intro", ["1"]);
    const nextFor = async (content_id: string) => (await query(test, { content_id })).error.details.next;
    expect(await nextFor("letter")).toBe('generate_content {"content_config_id":"letter"}');
    const { draft_id } = await test.bench.drafts.create({ config_type: "content", config_data: contentConfig() });
    expect(await nextFor(draft_id)).toBe(`test_config {"draft_id":"${draft_id}","dry_run":false}`);
    expect((await query(test, { content_id: "intor" })).error).toMatchObject({
      message: 'Nothing is stored for the content "intor". Did you mean "intro"?',
      details: { nearest: ["intro"], next: "query_ephemeral_storage {}" },
    });
  });
});

describe("cleanup_ephemeral", () => {
  const openOld = async (): Promise<TestBench> => {
    const test = openBench();
    await store(test, "a", ["1", "22", "333", "4444", "55555"]);
    await store(test, "b", ["1"]);
    await draftWithText(test);
    test.clock.pass(10);
    return test;
  };

  it("says what would go, and then it goes", async () => {
    const test = await openOld();
    const versions = (await test.bench.versions.versionsOf("a")).map(({ version_id: id }) => id);
    const expected = {
      total_content_checked: 2,
      total_versions_deleted: 2,
      bytes_freed: 3,
      content_cleaned: [
        {
          content_id: "a",
          versions_before: 5,
          versions_deleted: 2,
          versions_after: 3,
          bytes_freed: 3,
          oldest_kept: versions[2],
          latest_kept: versions[4],
        },
      ],
    };
    expect(await cleanup(test, { dry_run: true })).toMatchObject({ status: "dry_run", ...expected });
    expect(await test.bench.versions.versionsOf("a")).toHaveLength(5);
    expect(test.changed).toEqual([]);
    expect(await cleanup(test)).toMatchObject({ status: "cleaned", ...expected });
    expect(await test.bench.versions.versionsOf("a")).toHaveLength(3);
    expect(test.changed).toEqual(["content://a"]);
    expect(await cleanup(test)).toMatchObject({ total_versions_deleted: 0, content_cleaned: [] });
  });

  it.each([
    [{ retention: { keep_versions: 0 } }, 4],
    [{ retention: { keep_versions: 0, keep_latest: false } }, 6],
    [{ retention: { keep_versions: 0, keep_days: 30 } }, 0],
    [{ retention: { keep_versions: 0, keep_days: 0 }, filter: { older_than_days: 30 } }, 0],
    [{ retention: { keep_versions: 0, keep_days: 0 }, filter: { content_ids: ["b"] } }, 0],
    [{ retention: { keep_versions: 0, keep_latest: false }, filter: { content_ids: ["b", "none"] } }, 1],
    [{ retention: { keep_versions: 0, keep_latest: false }, filter: { content_ids: [] } }, 0],
  ])("keeps what %j keeps", async (args, gone) => {
    const test = await openOld();
    expect((await cleanup(test, args)).total_versions_deleted).toBe(gone);
  });

  it("leaves what was made of a draft alone", async () => {
    const test = openBench();
    const id = await draftWithText(test);
    test.clock.pass(10);
    await cleanup(test, { retention: { keep_versions: 0, keep_latest: false } });
    expect(await test.bench.versions.versionsOf(id)).toHaveLength(1);
  });

  it.each([
    { retention: { keep_versions: -1 } },
    { retention: { keep_days: -0.5 } },
    { filter: { older_than_days: -1 } },
  ])("refuses %j and removes nothing", async (args) => {
    const test = await openOld();
    expect((await cleanup(test, args)).error.code).toBe("invalid_retention");
    expect(await test.bench.versions.versionsOf("a")).toHaveLength(5);
  });

  it.each([{ filter: { content_id: "a" } }, { retention: { keep: 1 } }])("takes no other member: %j", (args) => {
    expect(isValidInput(cleanupEphemeralTool(openBench().bench), args)).toBe(false);
  });
});

describe("delete_content", () => {
  it("removes all versions, and the config stays", async () => {
    const test = openBench();
    await test.save("content", "letter", contentConfig());
    await store(test, "letter", ["1", "22"]);
    expect(await remove(test, { content_id: "letter" })).toEqual({
      success: true,
      status: "deleted",
      versions_deleted: 2,
      bytes_freed: 3,
      metadata_preserved: false,
      warnings: null,
      references: null,
      duration_ms: 1,
    });
    expect(readdirSync(join(test.dir, "ephemeral"))).toEqual([]);
    expect(test.changed).toEqual(["content://letter"]);
    expect((await test.bench.configs.content("letter")).config.id).toBe("letter");
    expect((await remove(test, { content_id: "letter" })).error.code).toBe("content_not_found");
  });

  it("keeps what is known of them where that is wanted", async () => {
    const test = openBench();
    await store(test, "letter", ["1"]);
    const answer = await remove(test, { content_id: "letter", preserve_metadata: true });
    expect(answer.metadata_preserved).toBe(true);
    const left = readdirSync(join(test.dir, "ephemeral/letter"));
    expect(left).toEqual([expect.stringMatching(/\.meta\.json$/)]);
    expect((await query(test)).total).toBe(0);
    expect((await remove(test, { content_id: "letter" })).error.code).toBe("content_not_found");
  });

  it("is refused for what an artifact is made of, a broken one too, unless it is forced", async () => {
    const test = openBench();
    await store(test, "intro", ["1"]);
    await test.save("artifact", "book", artifactConfig([{ id: "intro", required: false }]));
    await test.save("artifact", "bad", { type: "artifact", content: { children: [{ id: "intro" }] } });
    const { error } = await remove(test, { content_id: "intro", preserve_metadata: true });
    expect(error).toMatchObject({ code: "content_referenced", details: { artifact_ids: ["bad", "book"] } });
    expect(error.details.next).toBe('delete_content {"content_id":"intro","preserve_metadata":true,"force":true}');
    expect(await test.bench.versions.versionsOf("intro")).toHaveLength(1);
    expect(await remove(test, { content_id: "intro", force: true })).toMatchObject({
      versions_deleted: 1,
      warnings: [expect.stringContaining("bad, book")],
      references: { artifact_ids: ["bad", "book"], count: 2 },
    });
  });

  it("happens once for two who ask at once", async () => {
    const test = openBench();
    await store(test, "intro", ["1"]);
    const answers = await Promise.all([1, 2].map(() => remove(test, { content_id: "intro" })));
    expect(answers.filter(({ success }) => success)).toHaveLength(1);
    expect(answers.find(({ success }) => !success).error.code).toBe("content_not_found");
  });

  it("removes what was made of a draft, and the draft stays", async () => {
    const test = openBench();
    const id = await draftWithText(test);
    expect((await remove(test, { content_id: id })).versions_deleted).toBe(1);
    expect((await test.bench.drafts.read(id)).draft_id).toBe(id);
  });
});
