/** The plug-in in `examples/generators` is taken without a complaint, and makes of its config what its page shows. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { checkConfig } from "../compose/configs/check-config.ts";
import type { ContentConfig } from "../compose/configs/config-types.ts";
import { openPlugins, type PluginPlace } from "../compose/plugins/plugins-for-tests.ts";

const EXAMPLES = fileURLToPath(new URL("../../../examples/generators/", import.meta.url));
const FILE = "changelog.generator.mjs";
const read = (name: string): string => readFileSync(`${EXAMPLES}${name}`, "utf8");

const openExample = (): PluginPlace => {
  const place = openPlugins();
  place.write(FILE, read(FILE));
  return place;
};

const config = JSON.parse(read("changelog.json")) as ContentConfig;
const pattern = config.generation!.patterns![0]!;
const own = pattern.generation_config?.["context"] as Readonly<Record<string, unknown>>;

test("it is listed as a plug-in that needs nothing", async () => {
  const { entries, rejected } = await openExample().plugins.look();
  expect(rejected).toEqual([]);
  expect(entries).toMatchObject([
    { type: "changelog", source: "plugin", status: "stable", plugin_path: FILE, upstream_dependencies: null },
  ]);
});

test("its config has nothing that anybody has to say anything about", () => {
  expect(checkConfig("content", config, () => "changelog")).toEqual({ errors: [], warnings: [] });
});

test("its config becomes the text that its page shows", async () => {
  const [, shown] = /```markdown\n([\s\S]*?)\n```/.exec(read("README.md")) ?? [];
  const { text, version } = await openExample().generate("changelog", { config, pattern, context: own });
  expect([text, version]).toEqual([shown, "1.0.0"]);
});

test("it sorts by kind, keeps the order of releases, and makes something of nothing", async () => {
  const place = openExample();
  const make = async (context: Readonly<Record<string, unknown>>): Promise<string> =>
    (await place.generate("changelog", { config, pattern, context })).text;
  const entries = [
    { kind: "fixed", text: " b\nmore " },
    { kind: "added", text: "a" },
    { version: "1", kind: "odd", text: "c" },
    { kind: "added", text: "d" },
  ];
  expect(await make({ title: "T", entries })).toBe(
    "# T\n\n## Unreleased\n\n### Added\n\n- a\n- d\n\n### Fixed\n\n- b\n  more\n\n## 1\n\n### Other\n\n- c",
  );
  expect(await make({})).toBe("# Changelog\n\nNothing has changed yet.");
});

test.each([
  [{ entries: "x" }, "entries must be a list"],
  [{ entries: [{ text: "a" }, null] }, "entries[1] needs a text"],
  [{ entries: [{ kind: "added" }] }, "entries[0] needs a text"],
])("of %j it says what to do", async (context, expected) => {
  await expect(openExample().generate("changelog", { config, pattern, context })).rejects.toMatchObject({
    code: "generation_failed",
    message: expect.stringContaining(expected) as unknown,
  });
});
