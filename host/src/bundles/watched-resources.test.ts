import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { WatchedResources } from "./watched-resources.ts";

const make = (): { watched: WatchedResources; unions: string[][] } => {
  const unions: string[][] = [];
  return { watched: new WatchedResources({ onChange: (uris) => unions.push([...uris]) }), unions };
};

test("a resource is asked for with its first watcher and given up with its last", () => {
  const { watched, unions } = make();
  const endFirst = watched.watch("test://a", () => {});
  const endSecond = watched.watch("test://a", () => {});
  endFirst?.();
  endFirst?.();
  expect(unions).toEqual([["test://a"]]);
  endSecond?.();
  expect(unions).toEqual([["test://a"], []]);
});

test("every watcher of a resource hears of it, once for many notices, and others do not", async () => {
  const { watched } = make();
  const heard: string[] = [];
  const updated = (): void => void heard.push("a");
  watched.watch("test://a", updated);
  watched.watch("test://a", updated);
  watched.watch("test://b", () => heard.push("b"));
  for (let i = 0; i < 100; i++) watched.updated("test://a");
  watched.updated("test://unheard-of");
  await expect.poll(() => heard).toEqual(["a", "a"]);
  watched.updated(null);
  await expect.poll(() => heard).toEqual(["a", "a", "a", "a", "b"]);
});

test("something below a watched resource counts as its change; a neighbour with a longer name does not", async () => {
  const { watched } = make();
  const heard: string[] = [];
  watched.watch("test://dir", () => heard.push("dir"));
  watched.updated("test://directory");
  await sleep(50);
  expect(heard).toEqual([]);
  watched.updated("test://dir/file");
  await expect.poll(() => heard).toEqual(["dir"]);
});

test("whoever left hears nothing more, even of what was under way", async () => {
  const { watched } = make();
  const heard: string[] = [];
  const end = watched.watch("test://a", () => heard.push("left"));
  watched.watch("test://a", () => heard.push("stayed"));
  watched.updated("test://a");
  end?.();
  await expect.poll(() => heard).toEqual(["stayed"]);
});

test("more than ten thousand resources, or one with an endless name, cannot be watched", () => {
  const watched = new WatchedResources({ onChange: () => {} });
  const ends = Array.from({ length: 10_000 }, (_, i) => watched.watch(`test://${i}`, () => {}));
  expect(watched.watch("test://one-more", () => {})).toBeNull();
  expect(watched.watch("test://1", () => {})).not.toBeNull();
  ends[0]?.();
  expect(watched.watch(`test://${"x".repeat(9_000)}`, () => {})).toBeNull();
  expect(watched.watch("test://one-more", () => {})).not.toBeNull();
});
