import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readBelow } from "./rooted-files.ts";
import { temporaryDir } from "./storage-for-tests.ts";

// What the system tells of itself there has no size before it is read, as a file that grows has another one.
it.runIf(process.platform === "linux")("a file that is larger than it says is not read to its end", async () => {
  await expect(readBelow("/proc/self", "status", 20)).rejects.toThrow("status has 21 bytes; at most 20 are read");
  expect((await readBelow("/proc/self", "status", 1_000_000))?.text).toMatch(/^Name:.*\n$/s);
});

it.each([0, 1, 99, 100])("a file of %i bytes is read whole where 100 are allowed", async (size) => {
  const root = temporaryDir();
  writeFileSync(join(root, "a.txt"), "x".repeat(size));
  expect((await readBelow(root, "a.txt", 100))?.text).toBe("x".repeat(size));
});
