import { copyFileSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryDir } from "./evidence-for-tests.ts";
import { openSeals } from "./open-seals.ts";
import { openTokenStore } from "./token-store.ts";

const KEY = ["tokens", "person:ann", "linear", "https://mcp.example/mcp", "https://as.example"];
const OTHER = ["tokens", "person:bob", "linear", "https://mcp.example/mcp", "https://as.example"];

const open = (dir: string) => openTokenStore(dir, openSeals(dir));
const files = (dir: string): string[] => readdirSync(join(dir, "tokens"));

describe("kept tokens", () => {
  it("come back after a restart, to their own key alone", () => {
    const dir = temporaryDir();
    expect(open(dir).read(KEY)).toBeNull();
    expect(open(dir).keys([])).toEqual([]);
    open(dir).write(KEY, "first");
    open(dir).write(KEY, "second");
    open(dir).write(OTHER, "bob's");
    expect(open(dir).read(KEY)).toBe("second");
    expect(open(dir).read(OTHER)).toBe("bob's");
    expect(open(dir).read([...KEY, ""])).toBeNull();
    expect(open(dir).keys(["tokens", "person:bob"])).toEqual([OTHER]);
    expect(open(dir).keys(["tokens"])).toHaveLength(2);
    open(dir).remove(KEY);
    open(dir).remove(KEY);
    expect(open(dir).read(KEY)).toBeNull();
  });

  it("stand in no file as text, neither they nor whose they are, and only their owner may read the files", () => {
    const dir = temporaryDir();
    open(dir).write(KEY, "access-token-0123456789");
    const [name] = files(dir);
    const file = join(dir, "tokens", name!);
    const sealed = readFileSync(file, "utf8").trim();
    const bytes = Buffer.from(sealed.slice(4), "base64url").toString("latin1");
    for (const text of [sealed, bytes, name!]) expect(text).not.toMatch(/access-token|ann|linear|example/);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(join(dir, "tokens")).mode & 0o777).toBe(0o700);
  });

  it("cannot be read without the host's secret", () => {
    const dir = temporaryDir();
    open(dir).write(KEY, "x");
    rmSync(join(dir, "seal.key"));
    expect(open(dir).read(KEY)).toBeNull();
    expect(open(dir).keys([])).toEqual([]);
  });

  it("are nobody's when a file is put in another's place or damaged", () => {
    const dir = temporaryDir();
    open(dir).write(KEY, "ann's");
    const [anns] = files(dir);
    open(dir).write(OTHER, "bob's");
    const bobs = files(dir).find((name) => name !== anns)!;
    copyFileSync(join(dir, "tokens", anns!), join(dir, "tokens", bobs));
    expect(open(dir).read(OTHER)).toBeNull();
    writeFileSync(join(dir, "tokens", anns!), "bw1.AAAA");
    expect(open(dir).read(KEY)).toBeNull();
  });
});
