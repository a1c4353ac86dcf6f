import { describe, expect, it } from "vitest";
import { surfaceOf, type ToolGiven } from "./system-tools-for-tests.ts";
import { createWorkspaceIndex, type WorkspaceIndex } from "./workspace-index.ts";
import type { Surface } from "../../kernel/surface.ts";

const names = async (index: WorkspaceIndex, surface: Surface, query: string): Promise<string[]> =>
  (await index.search(surface, query, 25)).rows.map(({ name }) => name);

/** Counts how often definitions are looked at for their properties. */
const counted = (tools: Record<string, ToolGiven>, reads: string[]): Surface =>
  surfaceOf(
    Object.fromEntries(
      Object.entries(tools).map(([name, tool]) => [
        name,
        {
          ...tool,
          value: {
            get inputSchema() {
              reads.push(name);
              return { properties: { zebra: {} } };
            },
          },
        },
      ]),
    ),
  );

describe("the search over a workspace", () => {
  it("finds a tool by its properties, by its aliases and by what its package says of it", async () => {
    const surface = surfaceOf({
      a__one: { value: { inputSchema: { properties: { zebra: {} } } } },
      b__two: { value: { _meta: { dcc: { searchAliases: ["giraffe", 7] } } } },
      c__three: { carried: { intent: "counting lions", produces: ["tally"], tool_role: null } },
      d__four: { value: { inputSchema: null, _meta: "x" } },
    });
    const index = createWorkspaceIndex();
    expect(await names(index, surface, "zebra")).toEqual(["a__one"]);
    expect(await names(index, surface, "giraffe")).toEqual(["b__two"]);
    expect(await names(index, surface, "lions")).toEqual(["c__three"]);
    expect(await names(index, surface, "tally")).toEqual(["c__three"]);
    expect(await names(index, surface, "four")).toEqual(["d__four"]);
  });

  it("shows each what is on its own surface, as it is there", async () => {
    const index = createWorkspaceIndex();
    const all = surfaceOf({ a__send: { description: "Sends" }, b__send: { description: "Sends" } });
    const few = surfaceOf({ b__send: { description: "Sends", state: "disabled", reason: "Off." } });
    expect(await names(index, all, "send")).toEqual(["a__send", "b__send"]);
    const { rows, total } = await index.search(few, "send", 25);
    expect([rows.map(({ name, reason }) => [name, reason]), total]).toEqual([[["b__send", "Off."]], 1]);
    expect(await names(index, all, "send")).toEqual(["a__send", "b__send"]);
  });

  it("does not read again what is unchanged", async () => {
    const reads: string[] = [];
    const index = createWorkspaceIndex();
    await names(index, counted({ a__x: {}, b__y: {} }, reads), "zebra");
    expect(reads.splice(0).toSorted()).toEqual(["a__x", "b__y"]);
    const second = counted({ a__x: {}, b__y: { description: "Now says lion" }, c__z: {} }, reads);
    expect(await names(index, second, "lion")).toEqual(["b__y"]);
    expect(reads.toSorted()).toEqual(["b__y", "c__z"]);
  });

  it("reads again what a package says otherwise beside the same definition", async () => {
    const index = createWorkspaceIndex();
    expect(await names(index, surfaceOf({ a__x: { carried: { intent: "lion" } } }), "lion")).toEqual(["a__x"]);
    const now = surfaceOf({ a__x: { carried: { intent: "tiger" } } });
    expect([await names(index, now, "lion"), await names(index, now, "tiger")]).toEqual([[], ["a__x"]]);
  });

  it("finds for each what its own definition says, where those of two differ", async () => {
    const index = createWorkspaceIndex();
    const [ann, bo] = [surfaceOf({ a__x: { description: "lion" } }), surfaceOf({ a__x: { description: "tiger" } })];
    for (let each = 0; each < 3; each++) {
      const found = await Promise.all([names(index, ann, "lion"), names(index, bo, "tiger"), names(index, bo, "lion")]);
      expect(found).toEqual([["a__x"], ["a__x"], []]);
    }
  });

  it("forgets what is gone, and finds what others see after that", async () => {
    const index = createWorkspaceIndex();
    const many = (salt: string): Surface =>
      surfaceOf(Object.fromEntries(Array.from({ length: 1_500 }, (_, each) => [`p${salt}__lion_${each}`, {}])));
    const first = many("a");
    expect((await index.search(first, "lion", 1)).total).toBe(1_500);
    const small = surfaceOf({ z__lion: {} });
    expect(await names(index, small, "lion")).toEqual(["z__lion"]);
    expect((await index.search(many("b"), "lion", 1)).total).toBe(1_500);
    expect((await index.search(first, "lion", 1)).total).toBe(1_500);
    expect(await names(index, small, "lion")).toEqual(["z__lion"]);
  });
});
