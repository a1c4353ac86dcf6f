import { symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { Queue } from "../queue.ts";
import { availabilityOf } from "./availability-of.ts";
import { openPlugins, plugin } from "./plugins-for-tests.ts";
import { preflight } from "./preflight.ts";

const OWN = "workspaces/ws_default/plugins/generators";

describe("plug-in generators", () => {
  test("are listed with what they say of themselves, and generate from what they are given", async () => {
    const { plugins, write, generate } = openPlugins();
    const body = "return [config.id, pattern.template, context.name, signal.aborted].join();";
    write("shout.generator.mjs", plugin("shout", body, 'capabilities: ["loud"], status: "stable",'));
    const { entries, rejected } = await plugins.look();
    expect(entries).toMatchObject([{ type: "shout", source: "plugin", status: "stable", capabilities: ["loud"] }]);
    expect(rejected).toEqual([]);
    expect(await generate("shout")).toEqual({ text: "note,Hello,Ada,false", version: "1.0.0" });
  });

  test("may be written in TypeScript, as a CommonJS module, with files beside them, and without a promise", async () => {
    const { plugins, write, generate } = openPlugins();
    const typed = 'const loud = (text: string): string => text.toUpperCase();\nimport type { X } from "./none.ts";\n';
    write("typed.generator.ts", typed + plugin("typed", "return loud(context.name as string);"));
    write("old.generator.js", 'module.exports = { type: "old", version: "2", generate: () => "old one" };\n');
    write("lib.mjs", 'export const greet = (name) => "Hi " + name;\n');
    const text = 'import { greet } from "./lib.mjs";\n';
    write("split.generator.mjs", text + plugin("split", "return greet(context.name);"));
    expect((await plugins.look()).rejected).toEqual([]);
    const made = await Promise.all(["typed", "old", "split"].map((type) => generate(type)));
    expect(made.map(({ text: each }) => each)).toEqual(["ADA", "old one", "Hi Ada"]);
  });

  test("in TypeScript are unavailable, with the reason, where the runtime strips no types", async () => {
    const { plugins, write, generate } = openPlugins({ flags: ["--no-strip-types"] });
    write("typed.generator.ts", plugin("typed", "return context.name as string;"));
    write("plain.generator.mjs", plugin("plain", 'return "plain";'));
    const { entries, rejected } = await plugins.look();
    expect(rejected).toEqual([]);
    expect(entries.map(({ type }) => type)).toEqual(["plain", "typed"]);
    expect(availabilityOf(entries[1]!, { has: () => true })).toEqual({
      status: "unavailable",
      reason: expect.stringContaining("no type stripping"),
      missing: [],
    });
    await expect(generate("typed")).rejects.toMatchObject({
      code: "generation_failed",
      message: expect.stringContaining("no type stripping"),
    });
    expect((await generate("plain")).text).toBe("plain");
  });

  test("run in processes of their own, one each", async () => {
    const { write, generate, pids } = openPlugins();
    for (const type of ["one", "two"]) write(`${type}.generator.mjs`, plugin(type, "return String(process.pid);"));
    const made = await Promise.all(["one", "two", "one", "two"].map((type) => generate(type)));
    const seen = made.map(({ text }) => Number(text));
    expect(new Set(seen)).toEqual(new Set(pids));
    expect(seen).not.toContain(process.pid);
    expect(pids).toHaveLength(2);
    expect([seen[0], seen[1]]).toEqual([seen[2], seen[3]]);
  });

  test("that cannot be loaded are named with the reason, and disturb no other", async () => {
    const { plugins, write } = openPlugins({ loadMs: 1_500 });
    const files: Readonly<Record<string, string>> = {
      throws: 'throw new Error("not today");',
      loops: "for (;;);",
      waits: "await new Promise(() => {});",
      exits: "process.exit(0);",
      dies: 'process.kill(process.pid, "SIGKILL");',
      later: 'setTimeout(() => { throw new Error("too late") }); await new Promise(() => {});',
      misspelt: "export default {",
      getter: 'export default { get type() { throw new Error("looked at") } };',
    };
    for (const [type, text] of Object.entries(files)) write(`${type}.generator.mjs`, text);
    write("fine.generator.mjs", plugin("fine", 'return "fine";'));
    const { entries, rejected } = await plugins.look();
    expect(entries.map(({ type }) => type)).toEqual(["fine"]);
    expect(new Set(rejected.map(({ reason_code: code }) => code))).toEqual(new Set(["load_failed"]));
    const messages = Object.fromEntries(
      rejected.map(({ plugin_path: path, message }) => [path.split(".")[0], message]),
    );
    expect(messages).toEqual({
      throws: "not today",
      loops: "It was not loaded within 1500 ms.",
      waits: "It was not loaded within 1500 ms.",
      exits: "a generator must not end its process",
      dies: "Its process ended (SIGKILL).",
      later: "too late",
      misspelt: expect.stringContaining("Unexpected end of input"),
      getter: "looked at",
    });
  });

  test("that export something else are named with the reason", async () => {
    const { plugins, write } = openPlugins();
    write("none.generator.mjs", "export const type = 1;");
    write("idle.generator.mjs", 'export default { type: "idle", version: "1" };');
    write("cyclic.generator.mjs", 'const a = { type: "cyclic" }; a.version = a; export default a;');
    write("other.generator.mjs", plugin("another", 'return "";'));
    write("Upper.generator.mjs", plugin("Upper", 'return "";'));
    write("list.generator.mjs", plugin("list", 'return "";'));
    const { entries, rejected } = await plugins.look();
    expect(entries).toEqual([]);
    const codes = rejected.map(({ plugin_path: path, reason_code: code }) => [path.split(".")[0], code]);
    expect(Object.fromEntries(codes)).toEqual({
      none: "invalid_export",
      idle: "invalid_export",
      cyclic: "load_failed",
      other: "invalid_export",
      Upper: "invalid_export",
      list: "invalid_export",
    });
  });

  test("never take a type that the host or an earlier one has", async () => {
    const { plugins, write, generate } = openPlugins();
    write("jinja2.generator.mjs", plugin("jinja2", 'return "mine";'));
    write("sly.generator.mjs", plugin("template_fill", 'return "mine";'));
    write("twice.generator.mjs", plugin("twice", 'return "of all";'));
    write("twice.generator.mjs", plugin("twice", 'return "of one";'), OWN);
    write("own.generator.mjs", plugin("own", 'return "own";'), OWN);
    const { entries, rejected } = await plugins.look();
    expect(entries.map(({ type }) => type)).toEqual(["twice", "own"]);
    expect(rejected.map(({ plugin_path: path, reason_code: code }) => [path, code])).toEqual([
      ["jinja2.generator.mjs", "type_taken"],
      ["sly.generator.mjs", "type_taken"],
      ["twice.generator.mjs", "type_taken"],
    ]);
    expect((await generate("twice")).text).toBe("of all");
    await expect(generate("jinja2")).rejects.toMatchObject({ code: "generator_not_found" });
  });

  test("are only files of that name; what is no file and a folder that cannot be read are named", async () => {
    const { plugins, write } = openPlugins();
    const file = write("notes.mjs", "");
    write("deep.generator.mjs/inside.mjs", "");
    write("generator.mjs", "");
    const own = join(dirname(dirname(dirname(file))), OWN);
    write(".keep", "", dirname(OWN));
    symlinkSync(own, own);
    expect(await plugins.look()).toEqual({
      entries: [],
      rejected: [
        { plugin_path: OWN, reason_code: "load_failed", message: expect.stringContaining("ELOOP") },
        { plugin_path: "deep.generator.mjs", reason_code: "load_failed", message: expect.stringContaining("no file") },
      ],
    });
  });

  test("that are not safe for overlapping calls run one at a time behind the pre-flight, others overlap", async () => {
    const { plugins, write, generate } = openPlugins();
    const body = `now++; most = Math.max(most, now); await new Promise((r) => setTimeout(r, 30)); now--; return String(most);`;
    for (const [type, safe] of [
      ["careful", false],
      ["free", true],
    ] as const) {
      const more = `upstream_dependencies: { concurrency_safe: ${safe} },`;
      write(`${type}.generator.mjs`, `let now = 0, most = 0;\n${plugin(type, body, more)}`);
    }
    const { entries } = await plugins.look();
    const queue = new Queue();
    const runs = entries.map(async (entry) => {
      const { lane } = preflight(entry, { has: () => true });
      const { signal } = new AbortController();
      const run = (inner: AbortSignal) => generate(entry.type, { signal: inner });
      const made = await Promise.all(
        [1, 2, 3].map(() => queue.run({ kind: "generation", lane, owner: "person://ann", signal, run })),
      );
      return made.map(({ text }) => text);
    });
    expect(await Promise.all(runs)).toEqual([
      ["1", "1", "1"],
      ["3", "3", "3"],
    ]);
  });

  test("are none where there are no folders", async () => {
    const { plugins } = openPlugins();
    expect(await plugins.look()).toEqual({ entries: [], rejected: [] });
    expect(await plugins.look()).toBe(await plugins.look());
  });
});
