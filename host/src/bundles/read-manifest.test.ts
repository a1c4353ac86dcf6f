import { execFileSync } from "node:child_process";
import { mkdirSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { fixtureManifest, makeBundle, makeWorkDir } from "./bundles-for-tests.ts";
import { readManifest } from "./read-manifest.ts";

const read = (path: string, offered: readonly string[] = []): ReturnType<typeof readManifest> =>
  readManifest({ located: { directory: path, manifest: null }, profile: "strict", offered });

test("a manifest is read, also one that begins with a byte order mark", async () => {
  const dir = makeWorkDir();
  const path = makeBundle(dir, "b", `\uFEFF${JSON.stringify(fixtureManifest("x"))}`);
  expect(await read(path)).toMatchObject({ manifest: { name: "x", version: "1.2.3" }, directory: path, warnings: [] });
});

test("what is no regular file of a sensible size is refused without being read", async () => {
  const dir = makeWorkDir();
  const huge = makeBundle(dir, "huge", "{}");
  truncateSync(join(huge, "manifest.json"), 1024 ** 3);
  await expect(read(huge)).rejects.toMatchObject({
    kind: "install_refused",
    message: expect.stringContaining("1073741824 bytes") as string,
  });
  const long = makeBundle(dir, "long", { ...fixtureManifest("x"), long_description: "x".repeat(1024 ** 2) });
  await expect(read(long)).rejects.toThrow(/bytes; a manifest may have 1048576/);
  mkdirSync(join(dir, "folder", "manifest.json"), { recursive: true });
  await expect(read(join(dir, "folder"))).rejects.toMatchObject({
    message: expect.stringContaining("not a regular file") as string,
  });
  mkdirSync(join(dir, "pipe"));
  execFileSync("/bin/sh", ["-c", 'mkfifo "$0"', join(dir, "pipe", "manifest.json")]);
  await expect(read(join(dir, "pipe"))).rejects.toMatchObject({
    message: expect.stringContaining("not a regular file") as string,
  });
  writeFileSync(join(dir, "file"), "");
  await expect(read(join(dir, "file"))).rejects.toMatchObject({
    message: expect.stringContaining("not a directory") as string,
  });
});

test("a required host extension passes when the host offers it, and is refused with all facts when not", async () => {
  const key = "ai.nimblebrain/host-resources";
  const host = { host_version: "1.1", host_capabilities: { [key]: { required: true } } };
  const path = makeBundle(makeWorkDir(), "b", { ...fixtureManifest("x"), _meta: { "ai.nimblebrain/host": host } });
  expect((await read(path, [key])).manifest.name).toBe("x");
  await expect(read(path, ["com.acme/other"])).rejects.toMatchObject({
    kind: "install_refused",
    details: {
      bundle: "x",
      reason: "capability-unavailable",
      missing: [key],
      provided: ["com.acme/other"],
      errors: [],
    },
  });
});

test("of very many errors the first twenty are told", async () => {
  const extra = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`k${i}`, 1]));
  const path = makeBundle(makeWorkDir(), "b", { ...fixtureManifest("x"), ...extra });
  await expect(read(path)).rejects.toMatchObject({ message: expect.stringContaining("and 480 more") as string });
});
