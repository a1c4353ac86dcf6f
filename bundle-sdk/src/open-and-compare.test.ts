import { constants, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { openAndCompare } from "./open-and-compare.ts";

const temp = mkdtempSync(join(tmpdir(), "roots-compare-"));
const inside = join(temp, "inside");
const outside = join(temp, "outside");
writeFileSync(inside, "inside");
writeFileSync(outside, "OUTSIDE");
afterAll(() => {
  rmSync(temp, { recursive: true });
});

it("opens what the path still leads to", async () => {
  await using file = await openAndCompare("inside", () => inside, constants.O_RDONLY);
  expect(await file.readFile("utf8")).toBe("inside");
});

it("gives nothing out when the path led elsewhere while it was opened, and leaves nothing open", async () => {
  const before = descriptors();
  const turns = [outside, inside];
  const opening = openAndCompare("inside", () => turns.shift() ?? inside, constants.O_RDONLY);
  await expect(opening).rejects.toMatchObject({ kind: "path_outside_roots", path: "inside" });
  expect(descriptors()).toBe(before);
});

it("follows no link at the end of the path", async () => {
  const link = join(temp, "link");
  symlinkSync(outside, link);
  await expect(openAndCompare("link", () => link, constants.O_RDONLY)).rejects.toMatchObject({ code: "ELOOP" });
});

it.each([constants.O_CREAT, constants.O_TRUNC])("says that it neither makes nor empties a file (%i)", async (flag) => {
  const path = join(temp, "new");
  const opening = openAndCompare("new", () => path, constants.O_RDWR | flag);
  await expect(opening).rejects.toThrow("neither makes nor empties a file");
  expect(readdirSync(temp)).not.toContain("new");
});

const descriptors = (): number | null => (process.platform === "linux" ? readdirSync("/proc/self/fd").length : null);
