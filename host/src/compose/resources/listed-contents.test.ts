import { describe, expect, it } from "vitest";
import { storedVersion } from "../storage/storage-for-tests.ts";
import { ListedContents } from "./listed-contents.ts";

describe("entries of ten thousand versions", () => {
  const versions = Array.from({ length: 10_000 }, (_, at) =>
    storedVersion("intro", 1, { version_id: `2026-01-01T12:00:00.000Z-${at + 2}` }),
  );
  const listOf = (contents: ListedContents): string[] => {
    const all: Parameters<ListedContents["append"]>[0] = [];
    contents.append(all);
    return all.map(({ uri }) => uri);
  };

  it("are not looked at again when one is added", () => {
    const contents = new ListedContents();
    contents.take("intro", versions);
    let looks = 0;
    const watched = new Proxy([...versions, storedVersion("intro", 2)], {
      get(target, key) {
        if (typeof key === "string" && /^\d+$/.test(key)) looks++;
        return Reflect.get(target, key) as unknown;
      },
    });
    expect(contents.take("intro", watched)).toEqual({ isOther: true, gone: [] });
    expect(looks).toBeLessThan(10);
    expect(listOf(contents)).toHaveLength(10_002);
  });

  it("are right whatever is taken out and added between two looks", () => {
    const contents = new ListedContents();
    const expectTaken = (now: typeof versions): void => {
      contents.take("intro", now);
      expect(listOf(contents).slice(1)).toEqual(now.map(({ version_id }) => `content://intro/${version_id}`));
    };
    const few = versions.slice(0, 5);
    const more = versions.slice(5, 8);
    for (const out of [[], [0], [4], [1, 3], [0, 1, 2, 3]])
      for (const added of [0, 1, 2, 3]) {
        expectTaken(few);
        expectTaken([...few.filter((_, at) => !out.includes(at)), ...more.slice(0, added)]);
      }
  });

  it("are the same after they were read from disk anew", () => {
    const contents = new ListedContents();
    contents.take("intro", versions.slice(0, 3));
    const anew = structuredClone(versions.slice(0, 3));
    expect(contents.take("intro", anew)).toEqual({ isOther: false, gone: [] });
    const gone = [versions[0]!.version_id];
    expect(contents.take("intro", anew.slice(1))).toEqual({ isOther: true, gone });
  });
});
