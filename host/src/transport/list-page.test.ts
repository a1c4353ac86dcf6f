import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { knock, modern, openSession } from "./client-for-tests.ts";
import { openTestDoor, type TestDoor } from "./door-for-tests.ts";

let door: TestDoor;
beforeEach(async () => {
  door = await openTestDoor();
});
afterEach(() => door.listener.close());

const show = (count: number): string[] => {
  const names = Array.from({ length: count }, (_, i) => `p__t${i}`);
  door.shown.tools = JSON.stringify(names.map((name) => ({ name, inputSchema: { type: "object", x: 1 } })));
  return names;
};

describe("a long list", () => {
  it.each([
    [5000, 1],
    [5001, 2],
    [12_000, 3],
  ])("of %i entries comes in %i pages, each entry once", async (count, pages) => {
    const names = show(count);
    const { call } = await openSession(door.origin);
    for (const ask of [
      (cursor: object) => call("tools/list", cursor),
      (cursor: object) => knock(door.origin, modern("tools/list", cursor as Record<string, unknown>)),
    ]) {
      const seen: string[] = [];
      let cursor: string | undefined;
      let asked = 0;
      do {
        const { json } = await ask(cursor === undefined ? {} : { cursor });
        seen.push(...json.result.tools.map((tool: { name: string }) => tool.name));
        cursor = json.result.nextCursor;
        asked++;
      } while (cursor !== undefined);
      expect(asked).toBe(pages);
      expect(seen).toEqual(names);
    }
  });

  it("refuses a cursor of an older list, of another list, and of nobody", async () => {
    show(6000);
    const { call } = await openSession(door.origin);
    const cursor: string = (await call("tools/list")).json.result.nextCursor;
    expect((await call("tools/list", { cursor })).json.result.tools).toHaveLength(1000);
    for (const [method, wrong] of [
      ["prompts/list", cursor],
      ["tools/list", `${cursor}A`],
      ["tools/list", "0"],
      ["tools/list", 1],
      ["tools/list", null],
    ] as const) {
      expect((await call(method, { cursor: wrong })).json.error.code).toBe(-32602);
    }
    door.shown.token = "s2";
    expect((await call("tools/list", { cursor })).json.error.code).toBe(-32602);
  });
});
