import { chmodSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { temporaryDir } from "./evidence-for-tests.ts";
import { openSeals } from "./open-seals.ts";

describe("seals", () => {
  it("give any text back, also after a restart, and never show it", () => {
    const dir = temporaryDir();
    const seals = openSeals(dir);
    const later = openSeals(dir);
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        const sealed = seals.seal("tokens", text);
        expect(sealed).toMatch(/^bw1\.[A-Za-z0-9_-]+$/);
        expect(later.unseal("tokens", sealed)).toBe(text);
      }),
    );
    expect(Buffer.from(seals.seal("tokens", "a-secret-text").slice(4), "base64url").toString("latin1")).not.toContain(
      "a-secret-text",
    );
    expect(seals.seal("tokens", "same")).not.toBe(seals.seal("tokens", "same"));
  });

  it("open for no other purpose and no other host", () => {
    const seals = openSeals(temporaryDir());
    const sealed = seals.seal("tokens", "x");
    expect(seals.unseal("state", sealed)).toBeNull();
    expect(openSeals(temporaryDir()).unseal("tokens", sealed)).toBeNull();
  });

  it("break with any change, also one that a lenient decoder would not see", () => {
    const seals = openSeals(temporaryDir());
    const sealed = seals.seal("tokens", "some text");
    for (let at = 0; at < sealed.length; at++) {
      const other = sealed[at] === "A" ? "B" : "A";
      expect(seals.unseal("tokens", sealed.slice(0, at) + other + sealed.slice(at + 1))).toBeNull();
    }
    for (const changed of [`${sealed}=`, `${sealed}A`, ` ${sealed}`, sealed.slice(0, -1), "bw1.", "", "bw1.AAAA"]) {
      expect(seals.unseal("tokens", changed)).toBeNull();
    }
  });

  it("stand on a secret that is made once, for the owner's eyes only, and narrowed when it is open", () => {
    const dir = join(temporaryDir(), "work");
    const file = join(dir, "seal.key");
    openSeals(dir);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const secret = readFileSync(file, "utf8");
    chmodSync(file, 0o644);
    openSeals(dir);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, "utf8")).toBe(secret);
  });

  it("cannot be read when the secret is gone, and a damaged secret is named", () => {
    const dir = temporaryDir();
    const sealed = openSeals(dir).seal("tokens", "x");
    rmSync(join(dir, "seal.key"));
    expect(openSeals(dir).unseal("tokens", sealed)).toBeNull();
    writeFileSync(join(dir, "seal.key"), "short\n");
    expect(() => openSeals(dir)).toThrow(/seal\.key holds no secret/);
  });

  it("tell when others could read the secret", () => {
    const dir = temporaryDir();
    const notes: string[] = [];
    openSeals(dir, (note) => notes.push(note));
    chmodSync(join(dir, "seal.key"), 0o644);
    openSeals(dir, (note) => notes.push(note));
    openSeals(dir, (note) => notes.push(note));
    expect(notes).toEqual([expect.stringContaining("seal.key could be read by others (mode 644); it is 600 now")]);
  });
});
