import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type PathView, WorkspaceResolveError } from "@bailiwick/contract";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { rootListOf } from "../../kernel/roots-for-tests.ts";
import { ComposeError } from "../compose-error.ts";
import { temporaryDir } from "../storage/storage-for-tests.ts";
import type { RootedFiles } from "../workbench.ts";
import { createRootedFiles } from "./create-rooted-files.ts";

interface Place {
  readonly files: RootedFiles;
  readonly root: string;
  readonly outside: string;
}

const SECRET = "nobody may read this";

const write = (path: string, text: string): void => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
};

/** A root `project` with a second one beside it, and a secret outside of both. */
const openPlace = (profile: "strict" | "permissive" = "permissive"): Place => {
  const dir = temporaryDir();
  const root = join(dir, "project");
  const outside = join(dir, "secret.txt");
  write(outside, SECRET);
  write(join(root, "a.txt"), "a");
  write(join(root, "docs/b b.txt"), "b");
  write(join(root, "templates/t.md"), "in templates");
  write(join(root, "t.md"), "in the root");
  write(join(root, "u.md"), "only in the root");
  write(join(dir, "other/c.txt"), "c");
  symlinkSync(outside, join(root, "out.txt"));
  symlinkSync(dir, join(root, "up"));
  symlinkSync("a.txt", join(root, "within.txt"));
  symlinkSync("../../secret.txt", join(root, "templates/out.md"));
  const list = rootListOf({ project: root, other: join(dir, "other") }, profile);
  return { files: createRootedFiles({ roots: () => list, maxBytes: 100 }), root, outside };
};

const codeOf = async (work: Promise<unknown>): Promise<string> => {
  const error: unknown = await work.then(
    (value) => new Error(`it gave ${JSON.stringify(value)}`),
    (caught: unknown) => caught,
  );
  if (error instanceof ComposeError) return error.code;
  throw error;
};

describe("a file below a root", () => {
  it("is read, however its path is written", async () => {
    const { files, root } = openPlace();
    expect(files.first()).toBe(root);
    expect(await files.read("a.txt")).toBe("a");
    expect(await files.read("./docs/../a.txt")).toBe("a");
    expect(await files.read("docs/b b.txt")).toBe("b");
    expect(await files.read("workspace://docs/b%20b.txt")).toBe("b");
    expect(await files.read("workspace://@other/c.txt")).toBe("c");
    expect(await files.read(join(root, "a.txt"))).toBe("a");
  });

  it.each(["nope.txt", "docs", "docs/nope/x", "a.txt/b", ".", "workspace://docs"])(
    "is not there as %j",
    async (path) => {
      expect(await openPlace().files.read(path)).toBeNull();
    },
  );

  it("is refused where it is too large", async () => {
    const { files, root } = openPlace();
    writeFileSync(join(root, "large.txt"), "x".repeat(101));
    await expect(files.read("large.txt")).rejects.toThrow('"large.txt" cannot be read: it has more than 100 bytes');
  });

  it("that is a pipe or a device is not waited for", async () => {
    const { files, root } = openPlace();
    execFileSync("sh", ["-c", 'mkfifo "$1"', "sh", join(root, "pipe")]);
    expect(await files.read("pipe")).toBeNull();
  });

  it("is not there without a root", async () => {
    const files = createRootedFiles({ roots: () => rootListOf({}, "permissive"), maxBytes: 100 });
    expect(files.first()).toBeNull();
    await expect(files.read("a.txt")).rejects.toThrow("set capabilities.roots.list in bailiwick.json");
    await expect(files.git("HEAD", "a", new AbortController().signal)).rejects.toThrow("No root");
  });
});

describe.each(["strict", "permissive"] as const)("what lies elsewhere, with %s roots,", (profile) => {
  it.each([
    "../secret.txt",
    "docs/../../secret.txt",
    "workspace://../secret.txt",
    "workspace://%2e%2e/secret.txt",
    "..\\secret.txt",
    "out.txt",
    "up/secret.txt",
    "up/project/a.txt",
    "within.txt",
    "/etc/passwd",
    "file:///etc/passwd",
    "C:\\secret.txt",
    "\\\\server\\share\\x",
    "//server/share/x",
    "http://127.0.0.1/x",
    "workspace://@nobody/x",
    "a\u0000.txt",
    "",
    "a\\b",
    "x".repeat(5_000),
    "\ud800",
  ])("is refused as %j", async (path) => {
    expect(await codeOf(openPlace(profile).files.read(path))).toBe("generation_failed");
  });

  it("is refused by its absolute path", async () => {
    const { files, outside } = openPlace(profile);
    expect(await codeOf(files.read(outside))).toBe("generation_failed");
    expect(await codeOf(files.read(`file://${outside}`))).toBe("generation_failed");
  });
});

it("no path of any kind leads to the secret", async () => {
  const { files } = openPlace();
  const part = fc.constantFrom(
    "..",
    ".",
    "secret.txt",
    "up",
    "out.txt",
    "docs",
    "",
    "%2e%2e",
    "..\\",
    "workspace:",
    "@other",
  );
  await fc.assert(
    fc.asyncProperty(fc.array(part, { maxLength: 6 }), async (parts) => {
      const found = await files.read(parts.join("/")).catch((error: unknown) => {
        if (!(error instanceof ComposeError)) throw error;
        return null;
      });
      expect(found).not.toBe(SECRET);
    }),
    { numRuns: 300 },
  );
});

const git = (root: string, ...args: string[]): void => {
  const who = ["-c", "user.name=A", "-c", "user.email=a@example.org"];
  execFileSync("git", [...who, ...args], { cwd: root, stdio: "pipe" });
};

const CLOSED = [
  ".git/config",
  "sub/.git/config",
  ".GIT/config",
  "bailiwick.json",
  "sub/Bailiwick.json",
  "nimblebrain.json",
];

describe("what may hold secrets though it lies below a root", () => {
  it.each(CLOSED)("is not read: %s", async (path) => {
    const { files, root } = openPlace();
    write(join(root, path), SECRET);
    write(join(root, "templates", path), SECRET);
    for (const asked of [path, `workspace://${path}`, join(root, path)])
      expect(await codeOf(files.read(asked))).toBe("generation_failed");
    expect(await codeOf(files.template(path))).toBe("generation_failed");
    expect(await codeOf(files.template(`templates/${path}`))).toBe("generation_failed");
  });

  it("is not read where the root is itself what git keeps", async () => {
    const dir = temporaryDir();
    write(join(dir, ".git/config"), SECRET);
    symlinkSync(join(dir, ".git"), join(dir, "plain"));
    const list = rootListOf({ plain: join(dir, "plain") });
    const files = createRootedFiles({ roots: () => list, maxBytes: 100 });
    expect(await codeOf(files.read("config"))).toBe("generation_failed");
  });

  it("is not read from a commit either, nor is what the host keeps for itself there", async () => {
    const { root } = openPlace();
    for (const path of ["bailiwick.json", "sub/host.json", "open.json"]) write(join(root, path), path);
    git(root, "init", "-q", "-b", "main");
    git(root, "add", "-A");
    git(root, "commit", "-qm", "all");
    const plain = rootListOf({ project: root }, "permissive");
    const resolve = (path: string, view?: PathView): string => {
      const found = plain.resolve(path, view);
      if (!found.endsWith("host.json")) return found;
      throw new WorkspaceResolveError("path_outside_roots", `"${found}" belongs to the host`, { path });
    };
    const files = createRootedFiles({ roots: () => ({ ...plain, resolve }), maxBytes: 100 });
    const read = (path: string): Promise<string | null> => files.git("main", path, new AbortController().signal);
    expect(await read("open.json")).toBe("open.json");
    await expect(read("bailiwick.json")).rejects.toThrow('"bailiwick.json" cannot be read: the host reads its');
    await expect(read("sub/host.json")).rejects.toThrow('"sub/host.json" belongs to the host');
    rmSync(join(root, "sub"), { recursive: true });
    await expect(read("sub/host.json")).rejects.toThrow('"sub/host.json" belongs to the host');
    rmSync(join(root, "open.json"));
    expect(await read("open.json")).toBe("open.json");
  });
});

describe("a template by its name", () => {
  it("is that below templates, else that below the root", async () => {
    const { files } = openPlace();
    expect(await files.template("t.md")).toBe("in templates");
    expect(await files.template("u.md")).toBe("only in the root");
    expect(await files.template("none.md")).toBeNull();
  });

  it.each(["../secret.txt", "/etc/passwd", "a/../b", "workspace://a", "a\\b", "", "out.md", "C:x"])(
    "is refused as %j",
    async (name) => {
      expect(await codeOf(openPlace().files.template(name))).toBe("generation_failed");
    },
  );
});
