import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { openPlugins, plugin, until, type PluginPlace } from "./plugins-for-tests.ts";

const NAME = "live.generator.mjs";
const IMPORTING = `import { word } from "./lib/deep/word.mjs";\n${plugin("live", "return word;")}`;
const word = (text: string): string => `export const word = "${text}";\n`;

const tell = ({ changes }: PluginPlace): readonly string[] => changes.map(({ type, what }) => `${type} ${what}`);

describe("what a plug-in imports from its folder", () => {
  test("is a part of it: a change there is recorded, and is in the next text", async () => {
    const place = openPlugins();
    place.write("lib/deep/word.mjs", word("one"));
    place.write(NAME, IMPORTING);
    expect((await place.generate("live")).text).toBe("one");
    place.write("lib/deep/word.mjs", word("two"));
    expect((await place.generate("live")).text).toBe("two");
    await place.plugins.look();
    expect(tell(place)).toEqual(["live added", "live changed"]);
    const [first, second] = place.changes;
    expect(first!.digest).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(second!.digest).not.toBe(first!.digest);
    place.write("lib/deep/word.mjs", word("one"));
    await place.plugins.look();
    expect(place.changes[2]).toEqual({ ...first, what: "changed" });
  });

  test("counts by its name too", async () => {
    const place = openPlugins();
    const [one, two] = [
      place.write("lib/one.mjs", word("1")),
      join(dirname(place.write(NAME, plugin("live", ""))), "lib/two.mjs"),
    ];
    await place.plugins.look();
    const text = readFileSync(one, "utf8");
    rmSync(one);
    writeFileSync(two, text);
    await place.plugins.look();
    expect(tell(place)).toEqual(["live added", "live changed"]);
  });

  test("is no other plug-in: that has evidence of its own", async () => {
    const place = openPlugins();
    place.write(NAME, plugin("live", ""));
    await place.plugins.look();
    place.write("more.generator.mjs", plugin("more", ""));
    await place.plugins.look();
    expect(tell(place)).toEqual(["live added", "more added"]);
  });

  test("may be a link: where it leads and what is there count", async () => {
    const place = openPlugins();
    const outside = place.write("word.mjs", word("one"), "elsewhere");
    const folder = dirname(place.write(NAME, IMPORTING));
    mkdirSync(join(folder, "lib", "deep"), { recursive: true });
    symlinkSync(outside, join(folder, "lib", "deep", "word.mjs"));
    symlinkSync("loop", join(folder, "loop"));
    expect((await place.generate("live")).text).toBe("one");
    writeFileSync(outside, word("two"));
    expect((await place.generate("live")).text).toBe("two");
    expect(tell(place)).toEqual(["live added", "live changed"]);
  });

  test.each(["lib", "lib.generator.mjs", "real/lib"])("is no folder that a link %s leads to", async (link) => {
    const place = openPlugins();
    const outside = dirname(place.write("word.mjs", word("one"), "elsewhere"));
    const folder = dirname(place.write(NAME, plugin("live", 'return "one";')));
    place.write("real/note.txt", "");
    symlinkSync(outside, join(folder, link));
    const { entries, rejected } = await place.plugins.look();
    expect([entries, place.pids]).toEqual([[], []]);
    expect(rejected).toContainEqual({
      plugin_path: NAME,
      reason_code: "load_failed",
      message: `Its folder has "${link}", a link to a folder; put the folder itself there.`,
    });
    rmSync(join(folder, link));
    expect((await place.generate("live")).text).toBe("one");
  });

  test.each([
    ["2000 files", Array.from({ length: 2_001 }, (_, at) => [`lib/${at}`, ""] as const)],
    ["50000000 bytes", [["lib/large", "x".repeat(50_000_001)] as const]],
  ])("is at most %s", async (most, files) => {
    const place = openPlugins();
    place.write(NAME, plugin("live", ""));
    for (const [name, text] of files) place.write(name, text);
    expect((await place.plugins.look()).rejected).toEqual([
      {
        plugin_path: NAME,
        reason_code: "load_failed",
        message: `Its folder has more than ${most} beside the plug-ins; keep there only what they import.`,
      },
    ]);
    expect(place.pids).toEqual([]);
  });

  test("and changes while it is loaded is loaded again", async () => {
    const place = openPlugins();
    const helper = place.write("lib/deep/word.mjs", word("one"));
    // The first process that loads it changes what it has loaded.
    const swap = `import { readFileSync, writeFileSync } from "node:fs";
      const helper = ${JSON.stringify(helper)};
      if (readFileSync(helper, "utf8").includes("one")) writeFileSync(helper, ${JSON.stringify(word("two"))});\n`;
    place.write(NAME, swap + IMPORTING);
    expect((await place.generate("live")).text).toBe("two");
    expect(tell(place)).toEqual(["live added", "live changed"]);
  });

  test("and changed while the process was lost is not loaded by the next one", async () => {
    const place = openPlugins();
    const helper = place.write("lib/deep/word.mjs", word("one"));
    const dies = `console.log("begun " + context.how); const { writeFileSync } = await import("node:fs");
      if (context.how === "dies") { writeFileSync(${JSON.stringify(helper)}, ${JSON.stringify(word("two"))}); process.abort(); }
      await new Promise((resolve) => setTimeout(resolve, 20_000)); return word;`;
    place.write(NAME, `import { word } from "./lib/deep/word.mjs";\n${plugin("live", dies)}`);
    const waits = place.generate("live", { context: { how: "waits" } }).catch((error: unknown) => error);
    await until(() => place.lines.join().includes("begun waits"));
    await place.generate("live", { context: { how: "dies" } }).catch(() => null);
    expect(await waits).toMatchObject({
      code: "generation_failed",
      message: expect.stringContaining("What it may import changed since it was looked at."),
    });
  });

  test("and is not there is told without where the host keeps its files", async () => {
    const place = openPlugins();
    const path = place.write(NAME, IMPORTING);
    const { rejected } = await place.plugins.look();
    expect(rejected).toMatchObject([
      { reason_code: "load_failed", message: expect.stringContaining("lib/deep/word.mjs") },
    ]);
    expect(rejected[0]!.message).not.toContain(dirname(dirname(dirname(path))));
  });
});
