import { mkdirSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryDir, TestClock } from "../storage/storage-for-tests.ts";
import { Assemblies } from "./assemblies.ts";

const open = () => {
  const base = temporaryDir();
  const [dir, clock, file] = [join(base, "assemblies"), new TestClock(), join(base, "book.md")];
  const assemblies = new Assemblies({ dir, now: clock.now });
  const given = {
    artifact_id: "book",
    outputs: ["book.md"],
    file,
    components: [{ content_id: "a", version_id: "1" }],
    digest: "sha256:0",
  };
  return { assemblies, dir, clock, file, given };
};

describe("what was assembled", () => {
  it("is known after a restart, for as long as the file is there", async () => {
    const { assemblies, dir, clock, file, given } = open();
    expect(await assemblies.last("book")).toBeNull();
    writeFileSync(file, "text");
    const first = await assemblies.remember(given);
    expect(await new Assemblies({ dir, now: clock.now }).last("book")).toEqual({ ...given, at: first.at });
    const second = await assemblies.remember(given);
    expect(second.at > first.at).toBe(true);
    expect((await assemblies.last("book"))?.at).toBe(second.at);
    rmSync(file);
    expect(await assemblies.last("book")).toBeNull();
    mkdirSync(file);
    expect(await assemblies.last("book")).toBeNull();
  });

  it("is the host's own to read, and leaves nothing of an interruption behind", async () => {
    const { assemblies, dir, given } = open();
    mkdirSync(dir);
    for (const name of [".old.json.1.new", ".fresh.json.1.new"]) writeFileSync(join(dir, name), "{");
    utimesSync(join(dir, ".old.json.1.new"), new Date(0), new Date(0));
    await Promise.all([assemblies.remember(given), assemblies.remember({ ...given, artifact_id: "other" })]);
    expect(readdirSync(dir).toSorted()).toEqual([".fresh.json.1.new", "book.json", "other.json"]);
    expect(statSync(join(dir, "book.json")).mode & 0o077).toBe(0);
  });

  it.each([
    "",
    "{",
    "null",
    "[]",
    '{"artifact_id":"book"}',
    '{"artifact_id":"other","at":"x","file":"/","outputs":[]}',
  ])("is nothing where its file says %j", async (text) => {
    const { assemblies, dir } = open();
    mkdirSync(dir);
    writeFileSync(join(dir, "book.json"), text);
    expect(await assemblies.last("book")).toBeNull();
  });

  it("is looked for under ids only", async () => {
    const { assemblies, given } = open();
    for (const id of ["../book", "", "a/b", "A"]) {
      await expect(assemblies.last(id)).rejects.toThrow("Config ID");
      await expect(assemblies.remember({ ...given, artifact_id: id })).rejects.toThrow("Config ID");
    }
    expect(await assemblies.last("z".repeat(255))).toBeNull();
  });
});
