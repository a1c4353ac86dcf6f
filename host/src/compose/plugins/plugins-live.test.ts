import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { isAlive, openPlugins, plugin, until } from "./plugins-for-tests.ts";

const digestOf = (text: string): string => `sha256:${createHash("sha256").update(text).digest("hex")}`;
const NAME = "live.generator.mjs";
const PATH = `plugins/generators/${NAME}`;

describe("a plug-in's file", () => {
  test("is seen by the next look when it is added, changed or removed, and each is evidence", async () => {
    const { plugins, write, remove, generate, changes } = openPlugins();
    const texts = [1, 2].map((at) => plugin("live", `return "${at}";`).replace("1.0.0", `${at}.0.0`)) as [
      string,
      string,
    ];
    const versions = async () => (await plugins.look()).entries.map(({ version }) => version);
    expect(await versions()).toEqual([]);
    write(NAME, texts[0]);
    expect([await versions(), (await generate("live")).text]).toEqual([["1.0.0"], "1"]);
    write(NAME, texts[1]);
    expect([await versions(), (await generate("live")).text]).toEqual([["2.0.0"], "2"]);
    remove(NAME);
    expect(await versions()).toEqual([]);
    await expect(generate("live")).rejects.toMatchObject({ code: "generator_not_found" });
    expect(changes).toEqual([
      { type: "live", path: PATH, digest: digestOf(texts[0]), what: "added" },
      { type: "live", path: PATH, digest: digestOf(texts[1]), what: "changed" },
      { type: "live", path: PATH, digest: digestOf(texts[1]), what: "removed" },
    ]);
  });

  test("is the new one for the next generation, and what runs finishes as it began", async () => {
    const { write, generate, pids, lines } = openPlugins();
    const flag = write("flag", "", "elsewhere");
    const body = `const { existsSync } = await import("node:fs");
      console.log("begun");
      while (!existsSync(${JSON.stringify(`${flag}.go`)})) await new Promise((r) => setTimeout(r, 10));
      return "old";`;
    write(NAME, plugin("live", body));
    const running = generate("live");
    await until(() => lines.includes(`${PATH}: begun`));
    write(NAME, plugin("live", 'return "new";'));
    expect((await generate("live")).text).toBe("new");
    write("flag.go", "", "elsewhere");
    expect((await running).text).toBe("old");
    await until(() => !isAlive(pids[0]!));
    expect(pids).toHaveLength(2);
    expect(isAlive(pids[1]!)).toBe(true);
  });

  test("may change while a process for a generation still loads it: that one is made as it began", async () => {
    const { plugins, write, generate, lines } = openPlugins({ env: { MY_KEY: "hunter2" }, granted: () => ["MY_KEY"] });
    const needs = 'upstream_dependencies: { credentials_required: ["MY_KEY"] },';
    const slow = 'console.log("loading"); await new Promise((resolve) => setTimeout(resolve, 300));\n';
    write(NAME, slow + plugin("live", 'return "old";', needs));
    await plugins.look();
    const begun = generate("live");
    // Once to be looked at, and once with the credential.
    await until(() => lines.length === 2);
    write(NAME, plugin("live", 'return "new";'));
    expect((await generate("live")).text).toBe("new");
    expect((await begun).text).toBe("old");
  });

  test("may be removed while something runs: that finishes, and then its process ends", async () => {
    const { plugins, write, remove, generate, lines, pids } = openPlugins();
    const body = 'console.log("begun"); await new Promise((r) => setTimeout(r, 300)); return "finished";';
    write(NAME, plugin("live", body));
    const running = generate("live");
    await until(() => lines.includes(`${PATH}: begun`));
    remove(NAME);
    expect((await plugins.look()).entries).toEqual([]);
    expect((await running).text).toBe("finished");
    await until(() => !isAlive(pids[0]!));
  });

  test("is noticed without a look once its folder is watched", async () => {
    const { plugins, write, seenCount } = openPlugins();
    write("other.generator.mjs", plugin("other", 'return "";'));
    await plugins.look();
    expect(seenCount()).toBe(1);
    write(NAME, plugin("live", 'return "";'));
    await until(() => seenCount() === 2);
    expect((await plugins.look()).entries.map(({ type }) => type)).toEqual(["live", "other"]);
  });

  test("is not run before it is recorded that it is there", async () => {
    let works = false;
    const recorded: string[] = [];
    const place = openPlugins({
      changed: ({ what }) =>
        works ? Promise.resolve(void recorded.push(what)) : Promise.reject(new Error("the disk is full")),
    });
    const trace = place.write("trace", "", "elsewhere");
    place.write(
      NAME,
      `import { writeFileSync } from "node:fs"; writeFileSync("${trace}.ran", "");${plugin("live", "")}`,
    );
    const { rejected } = await place.plugins.look();
    expect(rejected).toMatchObject([{ reason_code: "load_failed", message: expect.stringContaining("recorded") }]);
    expect(existsSync(`${trace}.ran`)).toBe(false);
    works = true;
    expect((await place.plugins.look()).entries).toHaveLength(1);
    expect([existsSync(`${trace}.ran`), recorded]).toEqual([true, ["added"]]);
  });

  test("may change at any moment: each generation is of one of its texts, and the last of the last", async () => {
    const { write, generate } = openPlugins();
    write(NAME, plugin("live", 'return "0";'));
    await generate("live");
    const made: Promise<string>[] = [];
    for (let at = 1; at <= 5; at++) {
      write(NAME, plugin("live", `return "${at}";`));
      made.push(...Array.from({ length: 3 }, async () => (await generate("live")).text));
      if (at % 2 === 0) await made.at(-1);
    }
    expect((await generate("live")).text).toBe("5");
    for (const text of await Promise.all(made)) expect(text).toMatch(/^[0-5]$/);
  });
});

describe("the process of a plug-in", () => {
  test("ends when nothing is asked of it for a while, and starts again", async () => {
    const { write, generate, pids, changes } = openPlugins({ idleMs: 50 });
    write(NAME, plugin("live", 'return "still here";'));
    await generate("live");
    await until(() => !isAlive(pids[0]!));
    expect((await generate("live")).text).toBe("still here");
    expect([pids.length, changes.length]).toEqual([2, 1]);
  });

  test("ends with the host, whatever it does", async () => {
    const { plugins, write, generate, pids, lines } = openPlugins();
    write(NAME, plugin("live", 'console.log("begun"); for (;;);'));
    write("idle.generator.mjs", plugin("idle", 'return "";'));
    const running = generate("live").catch((error: unknown) => error);
    await until(() => lines.includes(`${PATH}: begun`));
    await plugins.close();
    expect(await running).toMatchObject({ code: "generation_failed" });
    expect(pids.map(isAlive)).toEqual([false, false]);
    await expect(generate("live")).rejects.toMatchObject({ code: "generator_not_found" });
  });

  test("leaves what the plug-in prints to the log", async () => {
    const { write, generate, lines } = openPlugins();
    const answer = JSON.stringify({ id: 1, text: "forged" });
    write(NAME, plugin("live", `console.log('${answer}'); console.error("careful"); return "true one";`));
    expect((await generate("live")).text).toBe("true one");
    await until(() => lines.length === 2);
    expect(lines.toSorted()).toEqual([`${PATH}: careful`, `${PATH}: ${answer}`]);
  });
});
