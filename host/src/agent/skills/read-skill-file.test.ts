import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, test } from "vitest";
import { readSkillFile } from "./read-skill-file.ts";

const dir = mkdtempSync(join(tmpdir(), "skill-file-"));
const folder = join(dir, "pdf");
const skill = { name: "pdf", body: "The body.", folder };

beforeAll(() => {
  mkdirSync(join(folder, "references"), { recursive: true });
  mkdirSync(join(dir, "pdf-secret"));
  writeFileSync(join(dir, "secret.md"), "secret");
  writeFileSync(join(dir, "pdf-secret", "x.md"), "secret");
  writeFileSync(join(folder, ".env"), "secret");
  writeFileSync(join(folder, "references", "forms.md"), "Forms.");
  writeFileSync(join(folder, "logo.png"), new Uint8Array([0x89, 0xff, 0]));
  writeFileSync(join(folder, "large.txt"), "x".repeat(262_145));
  symlinkSync(join(dir, "secret.md"), join(folder, "out.md"));
  symlinkSync(dir, join(folder, "up"));
  symlinkSync(join("references", "forms.md"), join(folder, "in.md"));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

describe("a skill that is read", () => {
  it("gives its body, or a file of its folder", async () => {
    expect(await readSkillFile(skill, null)).toBe("The body.");
    expect(await readSkillFile(skill, "references/forms.md")).toBe("Forms.");
    expect(await readSkillFile(skill, "in.md")).toBe("Forms.");
  });

  test.each([
    ["../secret.md"],
    ["references/../../secret.md"],
    ["../pdf-secret/x.md"],
    ["/etc/passwd"],
    ["out.md"],
    ["up/secret.md"],
    [".env"],
    ["./references/forms.md"],
    ["references"],
    ["nothing.md"],
    ["references\\forms.md"],
    ["a\0b"],
    [""],
    ["x".repeat(5_000)],
    ["references/forms.md/deeper"],
  ])("has no file %j", async (file) => {
    await expect(readSkillFile(skill, file)).rejects.toMatchObject({ name: "Refusal", kind: "not_found" });
  });

  it("gives no bytes that are no text, and none above 256 KiB", async () => {
    await expect(readSkillFile(skill, "logo.png")).rejects.toMatchObject({ kind: "invalid_input" });
    await expect(readSkillFile(skill, "large.txt")).rejects.toMatchObject({ kind: "too_large" });
  });

  it("and is one file has no others", async () => {
    await expect(readSkillFile({ ...skill, folder: null }, "references/forms.md")).rejects.toMatchObject({
      kind: "not_found",
    });
  });
});
