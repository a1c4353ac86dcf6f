import { afterEach, beforeEach, expect, it } from "vitest";
import { openExtensions, type TestExtensions } from "./bundle-for-tests.ts";
import { RenderedLists } from "./rendered-lists.ts";

let host: TestExtensions;
let lists: RenderedLists;
/** How often the index was gone through. */
let gone: number;
beforeEach(() => {
  host = openExtensions();
  gone = 0;
  lists = new RenderedLists((workspace) => {
    const store = host.files(workspace);
    return new Proxy(store, {
      get: (target, name) => {
        if (name === "all") gone++;
        const member: unknown = Reflect.get(target, name, target);
        return typeof member === "function" ? (member.bind(target) as unknown) : member;
      },
    });
  });
});
afterEach(() => host.end());

const count = async (filter = {}, workspace = "ws_default"): Promise<number> =>
  (await lists.find(workspace, filter)).count;

it("a list is written once, however often it is asked for, until a file comes, is tagged or goes", async () => {
  const { id } = await host.add("a");
  const store = host.files("ws_default");
  expect(await Promise.all([count(), count(), count()])).toEqual([1, 1, 1]);
  expect(gone).toBe(1);
  await host.add("b");
  expect([await count(), await count()]).toEqual([2, 2]);
  expect(gone).toBe(2);
  expect([await count({ tags: ["x"] }), gone]).toEqual([0, 3]);
  await store.tag(id, { add: ["x"], remove: [] });
  expect([await count({ tags: ["x"] }), gone]).toEqual([1, 4]);
  await store.remove(id);
  expect([await count(), await count({ tags: ["x"] }), gone]).toEqual([1, 0, 6]);
});

it("lists of other workspaces and other filters are others", async () => {
  await host.add("a", { mimeType: "text/plain", tags: ["x"] });
  await host.add("b", { mimeType: "image/png" }, "ws_other");
  expect(await count()).toBe(1);
  expect(await count({}, "ws_other")).toBe(1);
  expect(await count({ mimeType: "image/png" })).toBe(0);
  expect(await count({ mimeType: "image/png" }, "ws_other")).toBe(1);
  expect(await count({ mimeType: "text/plain", tags: ["x"] })).toBe(1);
  expect(gone).toBe(5);
  expect(await count({ mimeType: "TEXT/plain", tags: ["x"] })).toBe(1);
  expect(gone).toBe(5);
});

it("no more are kept than may be, and the ones that were asked for last stay", async () => {
  await host.add("a");
  for (let at = 0; at < 300; at++) {
    await count({ tags: [`t${at}`] });
    await count();
  }
  expect(gone).toBe(301);
  await count({ tags: ["t299"] });
  expect(gone).toBe(301);
  await count({ tags: ["t0"] });
  expect(gone).toBe(302);
  const long = { tags: ["x".repeat(5_000)] };
  await count(long);
  await count(long);
  expect(gone).toBe(304);
});
