import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
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
