import { chmodSync, rmSync, symlinkSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeDir, write } from "../skills-for-tests.ts";
import { againWhileMoving, hashFiles, seeFiles } from "./package-files.ts";

const digestOf = async (root: string): Promise<string> => (await hashFiles(await seeFiles(root), () => false)).digest;

const digestWith = (files: Readonly<Record<string, string>>): Promise<string> => {
  const dir = makeDir();
  write(dir, files);
  return digestOf(dir);
};

describe("the digest of a package", () => {
  it("is another one for whatever differs in paths and bytes", async () => {
    const sets: readonly Readonly<Record<string, string>>[] = [
      { a: "b" },
      { ab: "" },
      { a: "b", c: "" },
      { a: "", b: "" },
      { "a/b": "" },
      { a: "c" },
      { b: "a" },
      { a: "b", ".hidden": "" },
      { a: "1:b" },
      { a: "b4:file1:b0:" },
    ];
    const digests = await Promise.all(sets.map(digestWith));
    expect(new Set(digests).size).toBe(digests.length);
    expect(await digestWith({ a: "b" })).toBe(digests[0]);
  });

  it("covers what may run and where links lead, and not when a file was touched, nor what a version control keeps", async () => {
    const dir = makeDir();
    write(dir, { "scripts/a.py": "a", "scripts/b.py": "b" });
    const first = await digestOf(dir);
    utimesSync(join(dir, "scripts/a.py"), 1, 1);
    write(dir, { ".git/HEAD": "x" });
    expect(await digestOf(dir)).toBe(first);
    chmodSync(join(dir, "scripts/a.py"), 0o755);
    const executable = await digestOf(dir);
    symlinkSync("a.py", join(dir, "scripts/c.py"));
    const linked = await digestOf(dir);
    rmSync(join(dir, "scripts/c.py"));
    symlinkSync("b.py", join(dir, "scripts/c.py"));
    expect(new Set([first, executable, linked, await digestOf(dir)]).size).toBe(4);
  });

  it.each([".git/x.py", ".svn", ".DS_Store"])("covers %s where it is not at the top", async (path) => {
    const files = { "scripts/a.py": "a" };
    expect(await digestWith({ ...files, [path]: "x" })).toBe(await digestWith(files));
    expect(await digestWith({ ...files, [`scripts/${path}`]: "x" })).not.toBe(await digestWith(files));
  });

  it("needs no link to be followed, into a circle or out of the package", async () => {
    const dir = makeDir();
    write(dir, { a: "a" });
    symlinkSync(".", join(dir, "circle"));
    symlinkSync("/", join(dir, "out"));
    const { files, links } = await seeFiles(dir);
    expect(files.map(({ path }) => path)).toEqual(["a"]);
    expect(links.map(({ path }) => path)).toEqual(["circle", "out"]);
  });

  it("keeps the bytes that are asked for", async () => {
    const dir = makeDir();
    write(dir, { a: "a", "b.yaml": "b" });
    const { kept } = await hashFiles(await seeFiles(dir), (path) => path.endsWith(".yaml"));
    expect([...kept]).toEqual([["b.yaml", Buffer.from("b")]]);
  });
});

describe("what is looked at while somebody writes there", () => {
  const failing = (code: string, times: number) => {
    let looks = 0;
    const look = async (): Promise<number> => {
      if (++looks <= times) throw Object.assign(new Error(code), { code });
      return looks;
    };
    return { look, looks: () => looks };
  };

  it("is looked at again where something vanished, a few times", async () => {
    expect(await againWhileMoving(failing("ENOENT", 3).look)).toBe(4);
    const gone = failing("ENOENT", 1_000);
    await expect(againWhileMoving(gone.look)).rejects.toMatchObject({ code: "ENOENT" });
    expect(gone.looks()).toBeLessThan(20);
  });

  it("is not where it may not be read", async () => {
    const { look, looks } = failing("EACCES", 1);
    await expect(againWhileMoving(look)).rejects.toMatchObject({ code: "EACCES" });
    expect(looks()).toBe(1);
  });
});
