import { existsSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readCommitted } from "./read-committed.ts";
import { allow, lines, messageOf, openRepository, packsOf } from "./repository-for-tests.ts";

describe("a file in a commit", () => {
  it("is found by branch, tag, HEAD and the commit's own name, as it was then", async () => {
    const { commit, git, read } = openRepository();
    const first = commit({ "a.txt": "one", "docs/deep/b.md": "b\n" });
    git("tag", "v1.0");
    git("tag", "-a", "signed", "-m", "with words");
    git("branch", "feature/x");
    commit({ "a.txt": "two" });
    for (const ref of ["v1.0", "signed", "feature/x", first, "refs/tags/v1.0", "heads/feature/x"])
      expect(await read(ref, "a.txt")).toBe("one");
    for (const ref of ["main", "HEAD", "refs/heads/main"]) expect(await read(ref, "a.txt")).toBe("two");
    expect(await read("main", "docs/deep/b.md")).toBe("b\n");
  });

  it("is found in packs too, whole or as differences, beside what is not packed", async () => {
    const { commit, git, read, root } = openRepository();
    const made = Array.from({ length: 12 }, (_, n) => {
      const text = `${lines(400, 1)}\nversion ${n}\n${lines(300, n < 6 ? 2 : 3)}`;
      return { text, id: commit({ "big.txt": text, "docs/big.txt": `${n}${text}`, [`f${n}.txt`]: `${n}` }) };
    });
    git("tag", "-a", "packed", "-m", "x");
    git("repack", "-adfq", "--depth=50", "--window=50");
    git("pack-refs", "--all");
    git("prune-packed");
    expect(git("count-objects")).toMatch(/^0 objects/);
    expect(git("verify-pack", "-v", ...packsOf(root, git)).includes("chain length = 2")).toBe(true);
    commit({ "loose.txt": "loose" });
    for (const { id, text } of made) expect(await read(id, "big.txt")).toBe(text);
    expect(await read(made[3]!.id, "docs/big.txt")).toBe(`3${made[3]!.text}`);
    expect(await read("packed", "f11.txt")).toBe("11");
    expect(await read("main", "loose.txt")).toBe("loose");
  });

  it("is found where differences name their base by its id", async () => {
    const { commit, git, read } = openRepository();
    const texts = [1, 2, 3, 4].map((n) => `${lines(500, 1)}\nversion ${n}`);
    const ids = texts.map((text) => commit({ "big.txt": text }));
    git("-c", "repack.useDeltaBaseOffset=false", "repack", "-adfq");
    for (const [at, id] of ids.entries()) expect(await read(id, "big.txt")).toBe(texts[at]);
  });

  it("is not there under any other name", async () => {
    const { commit, read } = openRepository();
    commit({ "a.txt": "a", "docs/b.md": "b" });
    for (const path of ["nope.txt", "docs", "a.txt/b", "docs/nope", "DOCS/b.md"])
      expect(await read("main", path)).toBeNull();
  });

  it("may be empty, and of any name", async () => {
    const { commit, read } = openRepository();
    commit({ "empty.txt": "", "\u00e9 t\u00e9.txt": "\u00fc" });
    expect(await read("main", "empty.txt")).toBe("");
    expect(await read("main", "\u00e9 t\u00e9.txt")).toBe("\u00fc");
  });
});

const NO_REFS = [
  "--upload-pack=touch x",
  "-c",
  "HEAD;touch x",
  "HEAD~1",
  "HEAD^{tree}",
  "main@{1}",
  ":/words",
  "..",
  "a..b",
  "../../x",
  "refs/../config",
  "refs/heads/../../config",
  "main/",
  "a//b",
  ".git",
  "$(touch x)",
  "",
  "x".repeat(201),
  "main\n",
  "ma\u0000in",
  "config",
  "description",
  "index",
];

describe("what is asked for in bad faith", () => {
  it("is no ref", async () => {
    const { commit, read, root } = openRepository();
    commit({ "a.txt": "a" });
    for (const ref of NO_REFS) await messageOf(read(ref, "a.txt"));
    expect(existsSync(join(root, "x"))).toBe(false);
  });

  it("is no path in another place", async () => {
    const { commit, read } = openRepository();
    commit({ "a.txt": "a" });
    for (const path of ["../x", "/a.txt", "a/../a.txt", "./a.txt", "", "a\u0000", "a\\b", "C:x", "docs/"])
      expect(await messageOf(read("main", path))).toContain("is no path in a repository");
    expect(await read("main", "--help")).toBeNull();
  });

  it("is too large", async () => {
    const { commit, read } = openRepository();
    commit({ "a.txt": "x".repeat(1_001), "b.txt": "x".repeat(1_000) });
    expect(await messageOf(read("main", "a.txt", 1_000))).toBe('"a.txt" in "main" has more than 1000 bytes');
    expect(await read("main", "b.txt", 1_000)).toBe("x".repeat(1_000));
  });

  it("is a link in the commit", async () => {
    const { commit, git, read, root } = openRepository();
    symlinkSync("/etc/passwd", join(root, "link"));
    commit({ "a.txt": "a" });
    expect(git("ls-files", "-s", "link")).toMatch(/^120000/);
    expect(await messageOf(read("main", "link"))).toContain("is a link in that commit");
  });

  it("is given up with its caller", async () => {
    const { commit, root } = openRepository();
    commit({ "a.txt": "a" });
    const signal = AbortSignal.abort(new Error("gone"));
    await expect(
      readCommitted({ roots: [root], ref: "main", path: "a.txt", allow, maxBytes: 10, signal }),
    ).rejects.toThrow("gone");
  });
});
