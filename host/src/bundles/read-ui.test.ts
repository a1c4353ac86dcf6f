import { describe, expect, test } from "vitest";
import { readUi } from "./read-ui.ts";

const BLOCK = "ai.nimblebrain/host";
const read = (block: object, key = BLOCK) => readUi({ [key]: { host_version: "1.0", ...block } }, "demo");
const placed = (...placements: unknown[]) => read({ name: "Demo", placements });

describe("what a manifest says about its pages", () => {
  test("without a name surfaces nothing", () => {
    for (const block of [{}, { name: "" }, { name: "  " }, { name: 7 }, { placements: [{ slot: "sidebar" }] }]) {
      expect(read(block)).toEqual({ ui: null, placements: [], warnings: [] });
    }
    expect(readUi(undefined, "demo").ui).toBeNull();
  });

  test("is a name, an icon and a primary view, which stands in main under the provider's name", () => {
    expect(read({ name: "Demo", icon: "bug", primaryView: { resourceUri: "ui://demo/main" } })).toEqual({
      ui: { name: "Demo", icon: "bug", primaryView: { resourceUri: "ui://demo/main" } },
      placements: [{ slot: "main", resourceUri: "ui://demo/main", priority: 100, route: "demo" }],
      warnings: [],
    });
  });

  test("is read from the older blocks too", () => {
    expect(read({ name: "Old" }, "ai.nimblebrain/synapse").ui).toEqual({ name: "Old", icon: "box" });
  });

  test("is sorted by slot, then priority, then order; settings are a placement", () => {
    const { placements, warnings } = read({
      name: "Demo",
      settings: { id: "s", label: "Settings", icon: "cog", resourceUri: "ui://demo/settings" },
      placements: [
        { slot: "toolbar.right", resourceUri: "ui://demo/t" },
        { slot: "sidebar.tools", resourceUri: "ui://demo/b", priority: 5 },
        { slot: "sidebar.tools", resourceUri: "ui://demo/a", priority: 5 },
        { slot: "sidebar.tools", resourceUri: "ui://demo/c", priority: 1 },
      ],
    });
    expect(warnings).toEqual([]);
    expect(placements.map(({ resourceUri }) => resourceUri)).toEqual([
      "ui://demo/settings",
      "ui://demo/c",
      "ui://demo/b",
      "ui://demo/a",
      "ui://demo/t",
    ]);
  });

  test.each<[string, unknown]>([
    ["no object", "x"],
    ["an unknown member", { slot: "sidebar", resourceUri: "ui://demo/a", colour: "red" }],
    ["an unknown slot", { slot: "ceiling", resourceUri: "ui://demo/a" }],
    ["an empty slot", { slot: "", resourceUri: "ui://demo/a" }],
    ["a page of the web", { slot: "sidebar", resourceUri: "https://evil.example/a" }],
    ["a way up", { slot: "sidebar", resourceUri: "ui://demo/../a" }],
    ["main without a route", { slot: "main", resourceUri: "ui://demo/a" }],
    ["another authority", { slot: "sidebar", resourceUri: "ui://other/a" }],
  ])("drops a placement with %s by itself, with a warning", (_, wrong) => {
    const good = { slot: "sidebar", resourceUri: "ui://demo/good" };
    const { placements, warnings } = placed(good, wrong);
    expect(placements).toEqual([{ ...good, priority: 100 }]);
    expect(warnings).toEqual([expect.stringMatching(/^placement 2 is left out: /)]);
  });

  test("takes a page without a path, which binds nobody to its authority", () => {
    const { placements, warnings } = placed(
      { slot: "sidebar", resourceUri: "ui://main" },
      { slot: "sidebar", resourceUri: "ui://demo/a" },
    );
    expect([placements.length, warnings]).toEqual([2, []]);
  });

  test("cuts long labels and icons", () => {
    const long = "x".repeat(500);
    const { placements } = placed({ slot: "sidebar", resourceUri: "ui://demo/a", label: long, icon: long });
    expect([placements[0]?.label?.length, placements[0]?.icon?.length]).toEqual([128, 128]);
  });
});
