import { chmodSync, existsSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ComposeError } from "../../compose-error.ts";
import { temporaryDir } from "../../storage/storage-for-tests.ts";
import { readCommitted } from "./read-committed.ts";
import { allow, lines, messageOf, openRepository, packsOf } from "./repository-for-tests.ts";

const messageOfError = (error: unknown): string => {
  if (error instanceof ComposeError) return error.message;
  throw error;
};

describe("a repository in bad faith", () => {
  it("runs nothing that it configures", async () => {
    const { commit, git, read, root } = openRepository();
    commit({ "a.txt": "a", ".gitattributes": "*.txt filter=evil diff=evil" });
    const evil = `touch ${join(root, "ran")}`;
    for (const key of ["core.fsmonitor", "core.pager", "core.sshCommand", "filter.evil.smudge", "diff.evil.textconv"])
      git("config", key, evil);
    for (const hook of ["post-checkout", "reference-transaction", "pre-auto-gc"])
      writeFileSync(join(root, ".git/hooks", hook), `#!/bin/sh\n${evil}\n`, { mode: 0o755 });
    rmSync(join(root, "ran"), { force: true });
    expect(await read("main", "a.txt")).toBe("a");
    expect(existsSync(join(root, "ran"))).toBe(false);
  });

  it("does not lead to another one: by a .git file, a link, a common folder, alternates or links within", async () => {
    const other = openRepository();
    const id = other.commit({ "secret.txt": "secret" });
    const elsewhere = (prepare: (root: string) => void): Promise<string> => {
      const root = temporaryDir();
      prepare(root);
      return messageOf(
        readCommitted({
          roots: [root],
          ref: id,
          path: "secret.txt",
          allow,
          maxBytes: 100,
          signal: new AbortController().signal,
        }),
      );
    };
    const lies = "The repository of the root lies elsewhere, and nothing outside a root is read";
    const their = join(other.root, ".git");
    expect(await elsewhere((root) => writeFileSync(join(root, ".git"), `gitdir: ${their}\n`))).toBe(lies);
    expect(await elsewhere((root) => symlinkSync(their, join(root, ".git")))).toBe(lies);
    const commondir = (root: string): void => {
      openRepository(root);
      writeFileSync(join(root, ".git/commondir"), their);
    };
    expect(await elsewhere(commondir)).toBe(lies);
    const alternates = (root: string): void => {
      openRepository(root);
      writeFileSync(join(root, ".git/objects/info/alternates"), join(their, "objects"));
    };
    expect(await elsewhere(alternates)).toContain(`no object ${id} of its own`);
    const links = (root: string): void => {
      openRepository(root);
      rmSync(join(root, ".git/objects"), { recursive: true });
      symlinkSync(join(their, "objects"), join(root, ".git/objects"));
    };
    expect(await elsewhere(links)).toContain(`no object ${id} of its own`);
  });

  it("may lie in another folder of the root", async () => {
    const { commit, read, root } = openRepository();
    commit({ "a.txt": "a" });
    renameSync(join(root, ".git"), join(root, "kept"));
    writeFileSync(join(root, ".git"), "gitdir: kept\n");
    expect(await read("main", "a.txt")).toBe("a");
  });

  it("that is broken says so", async () => {
    const { commit, read, root } = openRepository();
    const id = commit({ "a.txt": "a" });
    writeFileSync(join(root, ".git/refs/heads/odd"), "ref: refs/heads/odd\n");
    expect(await messageOf(read("odd", "a.txt"))).toBe('The repository has no branch or tag "odd"');
    const object = join(root, ".git/objects", id.slice(0, 2), id.slice(2));
    rmSync(object, { force: true });
    writeFileSync(object, "no zlib at all");
    expect(await messageOf(read("main", "a.txt"))).toBe("The repository holds an object that cannot be read");
  });

  it("that holds another file in the place of one says so", async () => {
    const { commit, git, read, root } = openRepository();
    commit({ "a.txt": "a", "b.txt": "bad" });
    const [a = "", b = ""] = ["a.txt", "b.txt"].map((name) => git("rev-parse", `main:${name}`));
    const pathOf = (id: string): string => join(root, ".git/objects", id.slice(0, 2), id.slice(2));
    rmSync(pathOf(a));
    renameSync(pathOf(b), pathOf(a));
    expect(await messageOf(read("main", "a.txt"))).toBe(
      `The object ${a} of the repository is damaged; run git fsck in it`,
    );
  });

  it("whose packs hold anything at all gives a text or says that it cannot be read", async () => {
    const { commit, git, read, root } = openRepository();
    for (const n of [1, 2, 3]) commit({ "big.txt": `${lines(200, 1)}\nversion ${n}` });
    git("repack", "-adfq");
    git("pack-refs", "--all");
    const [index = ""] = packsOf(root, git);
    const paths = [index, index.replace(/idx$/, "pack")].map((name) => join(root, name));
    const sound = paths.map((path) => readFileSync(path));
    for (const path of paths) chmodSync(path, 0o600);
    const change = fc.tuple(fc.nat(1), fc.nat(), fc.nat(255));
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 8 }), async (changes) => {
        const bytes = sound.map((one) => Buffer.from(one));
        for (const [which, at, byte] of changes) bytes[which]![at % bytes[which]!.length] = byte;
        for (const [at, path] of paths.entries()) writeFileSync(path, bytes[at]!);
        const found = await read("main", "big.txt").catch(messageOfError);
        expect(typeof found === "string" || found === null).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it("that is none, and a short name of a commit, are told", async () => {
    const { commit, read } = openRepository();
    const id = commit({ "a.txt": "a" });
    expect(await messageOf(read(id.slice(0, 10), "a.txt"))).toContain("by all of its 40 digits");
    const signal = new AbortController().signal;
    const none = readCommitted({ roots: [temporaryDir()], ref: "main", path: "a", allow, maxBytes: 1, signal });
    expect(await messageOf(none)).toContain("No root is the top folder of a git repository");
  });
});
