import fc from "fast-check";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { codesOf, manifestOf, readOne, readTools, SCRIPT } from "./packages-for-tests.ts";

const FIXTURES = new URL("../../../test/fixtures/skill-packages/", import.meta.url);
const fixture = (name: string): string => readFileSync(new URL(name, FIXTURES), "utf8");

describe("a tools.yaml with ten entries of which three are wrong", () => {
  it("gives seven tools and three diagnostics that name the place", async () => {
    const { tools, diagnostics, usable } = await readTools(fixture("ten-entries.yaml"));
    expect(usable).toBe(true);
    expect(tools.map(({ name }) => name)).toEqual(["t0", "t1", "t2", "t4", "t5", "t7", "t8"]);
    expect(diagnostics).toEqual([
      {
        reason_code: "invalid_tool",
        package: "pkg",
        tool: "t3",
        pointer: "tools.yaml#/tools/3/timeout_hint_secs",
        line: 13,
        message: "timeout_hint_secs has to be a whole number from 1 to 600.",
        suggested_fix: "Write a whole number from 1 to 600 for timeout_hint_secs.",
      },
      {
        reason_code: "invalid_tool",
        package: "pkg",
        tool: "t6 is no name",
        pointer: "tools.yaml#/tools/6/name",
        line: 17,
        message: '"t6 is no name" is no name for a tool.',
        suggested_fix: 'Give it "name:" of 1 to 64 letters, digits, "_" and "-".',
      },
      {
        reason_code: "duplicate_tool",
        package: "pkg",
        tool: "t1",
        pointer: "tools.yaml#/tools/9/name",
        line: 23,
        message: 'There is a tool "t1" before it, which is served.',
        suggested_fix: "Rename one of them, or take one out.",
      },
    ]);
  });
});

describe("the tools.yaml of the guide", () => {
  it("is served as it is written", async () => {
    const scripts = ["import_usd.py", "read_stage_metadata.py", "ping.py"].map((name) => [`scripts/${name}`, ""]);
    const files = { "SKILL.md": manifestOf("maya-usd", "    dcc: maya\n"), "tools.yaml": fixture("guide.yaml") };
    const { name, dcc, tools, diagnostics } = await readOne({ ...files, ...Object.fromEntries(scripts) });
    expect({ name, dcc, diagnostics }).toEqual({ name: "maya-usd", dcc: "maya", diagnostics: [] });
    expect(tools.map((tool) => [tool.name, tool.script, tool.required])).toEqual([
      ["import_usd", "scripts/import_usd.py", ["usd", "scene.mutate", "filesystem.read"]],
      ["read_stage_metadata", "scripts/read_stage_metadata.py", ["usd", "scene.read", "filesystem.read"]],
      ["ping", "scripts/ping.py", []],
    ]);
  });
});

describe("a slip in one entry", () => {
  it.each<[string, string, RegExp]>([
    ["a tab", "\tdescription: x", /Unexpected/],
    ["an open list", "    required_capabilities: [usd", /Flow sequence/],
    ["an open text", '    description: "x', /quote/],
    ["two colons", "    description: a: b", /mapping/],
    ["a key that stands twice", "    name: again", /twice/],
    ["an alias of nothing", "    description: *none", /anchor/],
    ["bytes", "    description: !!binary aGVsbG8=", /JSON/],
    ["a number that is none", "    timeout_hint_secs: .nan", /JSON/],
    ["a key that is a list", "    ? [a]\n    : b", /key/],
  ])("costs that entry alone: %s", async (_, line, reason) => {
    const text = `tools:\n  - name: a\n  - name: b\n${line}\n  - name: c\ngroups:\n  - {name: g, tools: [c], default_active: true}\n`;
    const { tools, groups, diagnostics } = await readTools(text);
    expect(tools.map(({ name }) => name)).toEqual(["a", "c"]);
    expect(groups).toMatchObject([{ name: "g", tools: ["c"] }]);
    expect(codesOf(diagnostics)).toEqual(["invalid_tool"]);
    expect(diagnostics[0]?.message).toMatch(reason);
    expect(diagnostics[0]?.pointer).toMatch(/^tools\.yaml#\/tools\/1/);
    expect(diagnostics[0]?.line).toBeGreaterThanOrEqual(3);
    expect(diagnostics[0]?.line).toBeLessThanOrEqual(5);
  });

  it("costs that entry alone where the list is not indented, and lines end as on Windows", async () => {
    const { tools, diagnostics } = await readTools(
      "# ours\r\ntools:\r\n- name: a\r\n- name: [b\r\n\r\n# c\r\n- name: c\r\n",
    );
    expect(tools.map(({ name }) => name)).toEqual(["a", "c"]);
    expect(diagnostics).toMatchObject([{ pointer: "tools.yaml#/tools/1", line: expect.any(Number) }]);
  });
});

describe("a tools.yaml that cannot be read", () => {
  const nested = (levels: number): string =>
    `tools:\n  - name: a\n    input_schema: ${"{a: ".repeat(levels)}1${"}".repeat(levels)}\n`;
  const bomb = ["a: &a [x,x,x,x,x,x,x,x,x]"]
    .concat(Array.from("bcdefghi", (key, i) => `${key}: &${key} [${Array(9).fill(`*${"abcdefgh"[i]}`).join(",")}]`))
    .join("\n");

  it.each<[string, string, string]>([
    ["is empty", "", "read_error"],
    ["is a list", "- a\n", "read_error"],
    ["has no list of tools", "tools: {a: b}\n", "read_error"],
    ["has no tools", "groups: []\n", "read_error"],
    ["has an empty list", "tools: []\n", "invalid_tool"],
    ["is not YAML", "tools: [a\n", "read_error"],
    ["has two documents", "tools: [a]\n---\ntools: [b]\n", "read_error"],
    ["is of YAML 1.1", "%YAML 1.1\n---\ntools: [a]\n", "read_error"],
    ["is full of aliases", `${bomb}\ntools: [a]\n`, "read_error"],
    ["is full of brackets", `tools: ${"[".repeat(300_000)}`, "read_error"],
    ["is nested without an end", `tools: ${"[".repeat(50_000)}`, "read_error"],
    ["has more than a mebibyte", `tools: [run]\n#${"x".repeat(1_048_576)}`, "read_error"],
  ])("has no tools, and says why: %s", async (_, text, code) => {
    const { tools, usable, diagnostics } = await readTools(text);
    expect({ tools, usable }).toEqual({ tools: [], usable: false });
    expect(codesOf(diagnostics)[0]).toBe(code);
  });

  it("is not read where it is no UTF-8", async () => {
    const files = { "tools.yaml": Buffer.from([0x74, 0xff]) as unknown as string };
    expect((await readTools("", files)).diagnostics).toMatchObject([{ reason_code: "read_error" }]);
  });

  it("is read up to a mebibyte and 64 levels", async () => {
    expect((await readTools(`tools: [run]\n#${"x".repeat(1_048_562)}`)).usable).toBe(true);
    expect((await readTools(nested(40))).tools).toHaveLength(1);
    expect(codesOf((await readTools(nested(90))).diagnostics)).toEqual(["invalid_tool"]);
  });

  it("tells of a key twice, and of one that means nothing, and serves the rest", async () => {
    const { tools, diagnostics } = await readTools("tools: [a]\ntool: [b]\ntools: [c]\n");
    expect(tools.map(({ name }) => name)).toEqual(["a"]);
    expect(diagnostics).toMatchObject([
      { reason_code: "read_error", pointer: "tools.yaml#/tools", line: 3 },
      { reason_code: "invalid_tool", pointer: "tools.yaml#/tool", line: 2, warning: true },
    ]);
  });

  it("with a thousand faults says so in two hundred", async () => {
    const { diagnostics } = await readTools(`tools:\n${"  - 5\n".repeat(900)}`);
    expect(diagnostics).toHaveLength(200);
    expect(diagnostics.at(-1)?.message).toBe("701 more faults are not shown.");
  });

  it("never is more than its file can say, whatever is in it", async () => {
    const word = fc.constantFrom(
      "tools",
      "groups",
      "name",
      ":",
      "-",
      "[",
      "]",
      "{",
      "}",
      "&a",
      "*a",
      "!!str",
      "|",
      "\n",
      "  ",
      "run",
      "\t",
      '"',
      "#",
      "? ",
      "---",
      "%",
      "deferred",
    );
    await fc.assert(
      fc.asyncProperty(fc.array(word, { maxLength: 40 }), async (words) => {
        const { tools, diagnostics, usable } = await readTools(`tools:\n  - run\n${words.join(" ")}\n`);
        expect(usable).toBe(tools.length > 0);
        if (!usable) expect(diagnostics.some(({ warning }) => !warning)).toBe(true);
      }),
      { numRuns: 60 },
    );
  });
});

describe("groups that are not as they should be", () => {
  it.each<[string, string]>([
    ["{name: g, tools: [run], default_active: yes}", "g"],
    ["{tools: [run], default_active: true}", "group-0"],
    ["{name: 5, tools: [run], default_active: false}", "group-0"],
    ["{name: g, tools: [run], default_active: true, name: h}", "g"],
  ])("never make a tool active by that: %s", async (group, name) => {
    const { tools, groups, diagnostics } = await readTools(`tools: [run]\ngroups: [${group}]\n`, {
      "scripts/run.mjs": SCRIPT,
    });
    expect(tools[0]?.groups).toEqual([name]);
    expect(groups[0]).toMatchObject({ name, tools: ["run"] });
    expect(diagnostics.length).toBeGreaterThan(0);
    expect(diagnostics[0]?.pointer).toMatch(/^tools\.yaml#\/groups\/0/);
  });

  it("are told: no list, no mapping, unknown tools and keys, a second one of a name", async () => {
    expect((await readTools("tools: [run]\ngroups: g\n")).diagnostics).toMatchObject([
      { pointer: "tools.yaml#/groups" },
    ]);
    const text = "tools: [run]\ngroups: [g, {name: h, tools: [none], color: red}, {name: h, tools: [run]}]\n";
    const { tools, diagnostics } = await readTools(text);
    expect(tools[0]?.groups).toEqual(["h"]);
    expect(diagnostics.map(({ pointer }) => pointer)).toEqual([
      "tools.yaml#/groups/0",
      "tools.yaml#/groups/1/color",
      "tools.yaml#/groups/1/tools/0",
      "tools.yaml#/groups/2/name",
    ]);
  });
});
