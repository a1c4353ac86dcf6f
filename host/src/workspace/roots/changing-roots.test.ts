import { mkdirSync, realpathSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { isUnder } from "../../kernel/is-under.ts";
import { LIST, client, dirs, open, tell, temporaryDir } from "./roots-for-tests.ts";

describe("while a host runs", () => {
  it("configured roots that are no folder are no base, and say why, until they are one", () => {
    const dir = temporaryDir();
    writeFileSync(join(dir, "file"), "");
    const list = ["gone", "file", "file/below", "here"].map((path, index) => ({ name: `r${index}`, path }));
    mkdirSync(join(dir, "here"));
    const { of } = open(dir, { list });
    expect(tell(of())).toEqual([
      ["r0", null, true],
      ["r1", null, true],
      ["r2", null, true],
      ["r3", join(dir, "here"), false],
    ]);
    const [gone, file] = of().rows;
    expect([gone?.reason, file?.reason]).toEqual([
      expect.stringContaining("there is no such folder; make it"),
      expect.stringContaining("it is no folder"),
    ]);
    expect(JSON.stringify([gone?.reason, file?.reason])).not.toContain(dir);
    expect(of().resolve("x")).toBe(join(dir, "here/x"));
    mkdirSync(join(dir, "gone"));
    rmSync(join(dir, "here"), { recursive: true });
    expect(tell(of()).map(([, path]) => path)).toEqual([join(dir, "gone"), null, null, null]);
  });

  it("a link to what it may not open does not open it, nor does one that is changed later", () => {
    const { dir, inside } = dirs();
    const link = join(dir, "project");
    symlinkSync("/etc", link);
    const { of } = open(dir, LIST);
    const [announced, remote] = [client("stdio", `file://${link}`), client("http", `file://${inside}`)];
    expect(of(announced).rows[0]?.path).toBeNull();
    unlinkSync(link);
    symlinkSync(inside, link);
    const now = client("stdio", `file://${link}`);
    expect([of(now).resolve("workspace://x"), of(remote).resolve("workspace://x")]).toEqual([
      `${link}/x`,
      `${inside}/x`,
    ]);
    unlinkSync(link);
    symlinkSync("/etc", link);
    rmSync(inside, { recursive: true });
    symlinkSync("/etc", inside);
    const own = join(dir, "opened");
    for (const roots of [of(now), of(remote)]) {
      expect(tell(roots)).toEqual([
        [null, null, true],
        ["opened", own, false],
      ]);
      expect(roots.resolve("workspace://passwd")).toBe(`${own}/passwd`);
      expect(JSON.parse(roots.listing)).toEqual({ roots: [{ uri: `file://${own}`, name: "opened" }] });
      expect(JSON.parse(roots.json)).toMatchObject({ roots: [{ path: own }] });
      expect(roots.digest).toBe(of(client("http")).digest);
      expect(isUnder({ called: roots, configured: of() }, "/etc/passwd", null)).toBe(false);
    }
    expect(of(now)).toBe(of(now));
  });

  it("roots of clients lie in what is configured as that is now", () => {
    const { dir, elsewhere } = dirs();
    const inside = join(elsewhere, "inside");
    mkdirSync(inside);
    symlinkSync(elsewhere, join(dir, "way"));
    const { of } = open(dir, { list: [{ name: "way", path: "way" }] });
    const announced = client("http", `file://${inside}`);
    expect(tell(of(announced))).toEqual([[null, inside, false]]);
    unlinkSync(join(dir, "way"));
    symlinkSync(join(dir, "opened"), join(dir, "way"));
    expect(of(announced).rows[0]).toMatchObject({ path: null, reason: expect.stringContaining("outside") });

    const late = join(dir, "late");
    const more = open(dir, { list: [...LIST.list, { name: "late", path: "late" }] });
    const both = client("http", `file://${dir}/opened/inside`, `file://${late}`);
    expect(more.of(both).rows.map(({ path }) => path)).toEqual([join(dir, "opened/inside"), null]);
    mkdirSync(late);
    expect(more.of(both).rows.map(({ path }) => path)).toEqual([join(dir, "opened/inside"), late]);
  });

  it("roots of clients are judged in little time, however long their paths are", () => {
    const { dir, opened } = dirs();
    const deep = `file://${opened}${"/a".repeat(1_500)}`;
    const { of } = open(dir, LIST);
    const announced = client("http", ...Array.from({ length: 64 }, (_, index) => `${deep}/${index}`));
    const looked = vi.spyOn(realpathSync, "native");
    onTestFinished(() => looked.mockRestore());
    expect(of(announced).rows.every(({ reason }) => reason === null)).toBe(true);
    expect(looked.mock.calls.length).toBeLessThan(64 * 20);
  });
});
