import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { WorkspaceResolveError, WorkspaceRoots } from "./index.ts";

let temp: string;
let root: string;
let outside: string;
beforeEach(() => {
  temp = realpathSync(mkdtempSync(join(tmpdir(), "roots-open-")));
  root = join(temp, "root");
  outside = join(temp, "outside");
  mkdirSync(join(root, "folder/deep"), { recursive: true });
  mkdirSync(outside);
  writeFileSync(join(root, "folder/file"), "inside");
  writeFileSync(join(outside, "file"), "OUTSIDE");
});
afterEach(() => {
  rmSync(temp, { recursive: true });
});

const readIn = async (roots: WorkspaceRoots, path: string): Promise<string> => {
  await using file = await roots.open(path);
  return await file.readFile("utf8");
};

const writeIn = async (roots: WorkspaceRoots, path: string, flags: string): Promise<void> => {
  await using file = await roots.open(path, flags);
  await file.writeFile("written");
};

describe("open", () => {
  it("reads, makes, appends to and empties files in the root", async () => {
    const roots = new WorkspaceRoots([root]);
    expect(await readIn(roots, "workspace://folder/file")).toBe("inside");
    expect(await readIn(roots, join(root, "folder/file"))).toBe("inside");
    await writeIn(roots, "folder/deep/new", "wx");
    await writeIn(roots, "folder/deep/new", "a");
    expect(readFileSync(join(root, "folder/deep/new"), "utf8")).toBe("writtenwritten");
    await writeIn(roots, "folder/deep/new", "w");
    expect(readFileSync(join(root, "folder/deep/new"), "utf8")).toBe("written");
  });

  it("opens the root itself", async () => {
    await using file = await new WorkspaceRoots([root]).open("workspace://.");
    expect((await file.stat()).isDirectory()).toBe(true);
  });

  it("follows links that stay in the root, and a root that is reached through one", async () => {
    symlinkSync("root", join(temp, "alias"));
    symlinkSync("folder", join(root, "short"));
    symlinkSync("short/file", join(root, "shorter"));
    const roots = new WorkspaceRoots([join(temp, "alias")]);
    expect(await readIn(roots, "short/file")).toBe("inside");
    expect(await readIn(roots, "shorter")).toBe("inside");
    await writeIn(roots, "short/new", "wx");
    expect(readdirSync(join(root, "folder"))).toContain("new");
  });

  it("opens what lies in a root within a root, though the inner one is a link", async () => {
    symlinkSync(outside, join(root, "lent"));
    const roots = new WorkspaceRoots([root, { name: "lent", uri: join(root, "lent") }]);
    expect(await readIn(roots, "workspace://@lent/file")).toBe("OUTSIDE");
    await expect(readIn(roots, "workspace://lent/file")).rejects.toMatchObject({ kind: "path_outside_roots" });
  });

  it("makes nothing through a link that leads out, be there something or nothing at its end", async () => {
    symlinkSync(join(outside, "new"), join(root, "dangling"));
    symlinkSync(outside, join(root, "away"));
    const roots = new WorkspaceRoots([root], { profile: "permissive" });
    for (const path of ["dangling", "away/new", "workspace://away/file", join(root, "away/new")]) {
      await expect(roots.open(path, "w")).rejects.toMatchObject({ kind: "path_outside_roots", path });
    }
    expect(readdirSync(outside)).toEqual(["file"]);
    expect(readFileSync(join(outside, "file"), "utf8")).toBe("OUTSIDE");
  });

  it("hands on absolute paths elsewhere in the permissive profile only", async () => {
    const path = join(outside, "file");
    expect(await readIn(new WorkspaceRoots([root], { profile: "permissive" }), path)).toBe("OUTSIDE");
    await expect(readIn(new WorkspaceRoots([root]), path)).rejects.toBeInstanceOf(WorkspaceResolveError);
  });

  it("names what was asked for in its errors, and no place of this machine", async () => {
    const roots = new WorkspaceRoots([root]);
    for (const [path, code] of [
      ["gone/file", "ENOENT"],
      ["folder/gone", "ENOENT"],
      ["folder/file/x", "ENOTDIR"],
    ] as const) {
      const error: unknown = await roots.open(path).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code, path, message: expect.stringContaining(`cannot open "${path}"`) });
      expect((error as Error).message).not.toMatch(/proc|tmp/u);
    }
    await expect(roots.open("folder/file", "wx")).rejects.toMatchObject({ code: "EEXIST" });
    await expect(roots.open("folder/file", "z")).rejects.toThrow('"z" are no flags');
  });

  it.runIf(process.platform === "linux")("refuses a pipe at once instead of waiting for its other end", async () => {
    execFileSync("sh", ["-c", "mkfifo pipe"], { cwd: root });
    await expect(new WorkspaceRoots([root]).open("pipe")).rejects.toMatchObject({ code: "EINVAL" });
    await expect(new WorkspaceRoots([root]).open("pipe", "a")).rejects.toMatchObject({ code: "ENXIO" });
  });
});

/** Makes the folder a link to the outside and back, again and again, until `stop` is set. */
const SWAP = `
  const { renameSync, symlinkSync, unlinkSync } = require("node:fs");
  const { stop, folder, outside } = require("node:worker_threads").workerData;
  while (Atomics.load(stop, 0) === 0) {
    renameSync(folder, folder + ".kept");
    symlinkSync(outside, folder);
    unlinkSync(folder);
    renameSync(folder + ".kept", folder);
    Atomics.wait(stop, 0, 0, Math.random());
  }
`;

const openDescriptors = (): number => readdirSync("/proc/self/fd").length;

const ROUNDS = 2000;

describe.runIf(process.platform === "linux" && existsSync("/proc/self/fd"))(
  "while a folder is swapped for a link",
  () => {
    it("reads no byte from outside, makes no file there, and leaves nothing open", async () => {
      const roots = new WorkspaceRoots([root]);
      const before = openDescriptors();
      const stop = new Int32Array(new SharedArrayBuffer(4));
      const worker = new Worker(SWAP, { eval: true, workerData: { stop, folder: join(root, "folder"), outside } });
      const seen = { read: 0, made: 0, refused: 0, fooled: 0 };
      const refuse = (error: unknown): null => {
        const { code } = error as NodeJS.ErrnoException;
        if (!(error instanceof WorkspaceResolveError) && code !== "ENOENT" && code !== "ENOTDIR") throw error;
        seen.refused += 1;
        return null;
      };
      try {
        // It goes on until the same race has fooled a plain open of the resolved path, so it is known to be one.
        for (let round = 0; round < ROUNDS || seen.fooled === 0; round += 1) {
          const text = await readIn(roots, "workspace://folder/file").catch(refuse);
          if (text !== null) expect(text).toBe("inside");
          if (text !== null) seen.read += 1;
          const made = await writeIn(roots, `folder/new-${round}`, "wx").then(() => true, refuse);
          if (made === true) seen.made += 1;
          if (readByPath(roots) === "OUTSIDE") seen.fooled += 1;
        }
      } finally {
        Atomics.store(stop, 0, 1);
        await new Promise((resolve) => worker.once("exit", resolve));
      }
      expect(readdirSync(outside)).toEqual(["file"]);
      expect(seen.read * seen.made * seen.refused).toBeGreaterThan(0);
      expect(openDescriptors()).toBeLessThanOrEqual(before);
    });
  },
);

/** What a tool does that resolves first and opens then. */
const readByPath = (roots: WorkspaceRoots): string | null => {
  try {
    return readFileSync(roots.resolve("workspace://folder/file"), "utf8");
  } catch {
    return null;
  }
};
