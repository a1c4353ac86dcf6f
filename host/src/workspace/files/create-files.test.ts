import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { HostError } from "../../kernel/host-error.ts";
import { createFiles } from "./create-files.ts";
import { LIMITS, newFile, QUERY, temporaryDir } from "./files-for-tests.ts";

const open = (workDir: string) => {
  const files = createFiles({ workDir, limits: LIMITS });
  onTestFinished(() => files.close());
  return files;
};

describe("the files of the workspaces", () => {
  it("are apart: what is in one does not exist in the other", async () => {
    const workDir = temporaryDir();
    const files = open(workDir);
    const file = await files.of("ws_a").create(newFile("a.txt", "secret"));
    const other = files.of("ws_b");
    await other.create(newFile("b.txt", "other"));
    expect(other.info(file.id)).toBeNull();
    expect(await other.read(file.id)).toBeNull();
    expect(await other.remove(file.id)).toBe(false);
    expect(await other.search({ query: "secret", limit: 5 })).toEqual({ files: [], total: 0 });
    expect(other.list(QUERY).total).toBe(1);
    expect((await files.of("ws_a").read(file.id))?.toString()).toBe("secret");
    expect(readdirSync(join(workDir, "workspaces")).toSorted()).toEqual(["ws_a", "ws_b"]);
  });

  it("are opened when somebody asks, and then only once", () => {
    const workDir = temporaryDir();
    const files = open(workDir);
    expect(files.of("ws_a")).toBe(files.of("ws_a"));
    expect(existsSync(join(workDir, "workspaces"))).toBe(false);
  });

  it.each(["", "ws_", "../x", "ws_../x", "ws_A", "default", `ws_${"x".repeat(65)}`, "ws_a\n"])(
    "are never looked for under %j",
    (workspace) => {
      expect(() => open(temporaryDir()).of(workspace)).toThrow(HostError);
    },
  );

  it("can all be closed", async () => {
    const files = open(temporaryDir());
    const { id } = await files.of("ws_a").create(newFile("a.txt", "a"));
    await files.close();
    expect(() => files.of("ws_a").info(id)).toThrow(HostError);
  });
});
