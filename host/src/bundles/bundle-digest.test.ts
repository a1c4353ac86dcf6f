import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { bundleDigest } from "./bundle-digest.ts";
import { makeBundle, makeWorkDir } from "./bundles-for-tests.ts";
import type { Manifest } from "./manifest.ts";

const MANIFEST: Manifest = { name: "a", version: "1", server: { type: "node", entry_point: "main.js" } };

test("changes with the manifest and with the files that are started, and with nothing else", async () => {
  const directory = makeBundle(makeWorkDir(), "a", MANIFEST);
  writeFileSync(join(directory, "main.js"), "one");
  writeFileSync(join(directory, "other.js"), "one");
  const started = ["node", join(directory, "other.js"), "--flag", "/etc/hostname"];
  const digest = (manifest = MANIFEST): Promise<string> => bundleDigest({ manifest, directory, started });
  const first = await digest();
  writeFileSync(join(directory, "data.json"), "noise");
  expect(await digest()).toBe(first);
  expect(await digest({ ...MANIFEST, version: "2" })).not.toBe(first);
  writeFileSync(join(directory, "main.js"), "two");
  const second = await digest();
  expect(second).not.toBe(first);
  writeFileSync(join(directory, "other.js"), "two");
  expect(await digest()).not.toBe(second);
});

test("does not hang on a pipe, nor fail on what is not there", async () => {
  const directory = makeBundle(makeWorkDir(), "a", MANIFEST);
  execFileSync("/bin/sh", ["-c", 'mkfifo "$0"', join(directory, "pipe")]);
  const started = ["pipe", "absent", "../../outside", directory];
  expect(await bundleDigest({ manifest: MANIFEST, directory, started })).toMatch(/^sha256:[0-9a-f]{64}$/);
});
