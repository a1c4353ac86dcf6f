/** What a host need not load: each of these once cost it megabytes, brought in by an import that looks harmless. */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const BUNDLE = fileURLToPath(new URL("../host/bundle/run/index.js", import.meta.url));

test("the program loads neither Node's fetch nor libraries that only some hosts use", async () => {
  const list = `await import(${JSON.stringify(BUNDLE)}); console.log(JSON.stringify(process.moduleLoadList));`;
  const args = ["--no-node-snapshot", "--input-type=module", "--eval", list];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  const loaded = JSON.parse(stdout) as string[];
  expect(loaded).toContain("NativeModule sqlite");
  const spared = new Set([
    "internal/deps/undici/undici",
    "zlib",
    "v8",
    "https",
    "internal/util/diff",
    "internal/process/report",
  ]);
  expect(loaded.filter((name) => spared.has(name.replace("NativeModule ", "")))).toEqual([]);
});
