/** What must never come out of an archive, each on a real one. */
import { existsSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Refusal } from "../../kernel/refusal.ts";
import { makeWorkDir } from "../bundles-for-tests.ts";
import { makeArchive, makeRawZip, type RawFile } from "./archive-for-tests.ts";
import { makeSources, order, pathEntry, storeOf } from "./sources-for-tests.ts";
import type { SourceLimits } from "./sources-options.ts";

const MANIFEST: RawFile = {
  name: "manifest.json",
  data: Buffer.from(JSON.stringify({ name: "hostile", version: "1.0.0" })),
};

const locate = async (
  archive: Buffer,
  limits: Partial<SourceLimits> = {},
): Promise<{ dir: string; refusal: Refusal }> => {
  const dir = makeWorkDir();
  writeFileSync(join(dir, "it.mcpb"), archive);
  const { locate: find } = makeSources(join(dir, "work"), { limits });
  const refusal: unknown = await find(pathEntry(join(dir, "it.mcpb")), order()).catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(Refusal);
  return { dir, refusal: refusal as Refusal };
};

const file = (name: string | Buffer, more: Partial<RawFile> = {}): RawFile => ({ name, ...more });

test.each<[what: string, files: RawFile[], why: RegExp]>([
  ["a path upwards", [file("../evil")], /leads out of the folder/],
  ["a path upwards in the middle", [file("a/../../evil")], /leads out of the folder/],
  ["an absolute path", [file("/tmp/evil")], /its path is absolute/],
  ["a backslash", [file("..\\evil")], /contains a backslash/],
  ["a drive letter", [file("C:evil")], /begins with a drive letter/],
  ["a NUL", [file("evil\0.txt")], /contains a control character/],
  ["a newline", [file("evil\n.txt")], /contains a control character/],
  ["an empty part", [file("a//evil")], /has an empty part/],
  ["a dot", [file("./evil")], /has an empty part/],
  ["no name", [file("")], /has no name/],
  ["a very long name", [file("a".repeat(256))], /longer than 255 bytes/],
  ["a very long path", [file("a/".repeat(600) + "x")], /longer than 1024 bytes/],
  ["a very deep path", [file("a/".repeat(70) + "x")], /deeper than 64 folders/],
  ["a symbolic link", [file("link", { mode: 0o120777, data: Buffer.from("/etc/passwd") })], /"link": it is a link/],
  ["a device", [file("null", { mode: 0o020666 })], /neither a file nor a folder/],
  ["a pipe", [file("pipe", { mode: 0o010666 })], /neither a file nor a folder/],
  ["a folder that is a file", [file("a", { mode: 0o040755 })], /folder without the name of one/],
  ["an encrypted file", [file("secret", { flags: 0x801 })], /it is encrypted/],
  ["one name twice", [file("a"), file("a")], /there is another one of that name/],
  ["one name in two cases", [file("Run.js"), file("run.JS")], /there is another one of that name/],
  ["one name in two spellings", [file("\u00e9"), file("e\u0301")], /there is another one of that name/],
  ["a file in the place of a folder", [file("a/b"), file("a")], /there is another one of that name/],
  ["a folder in the place of a file", [file("a"), file("a/b")], /there is another one of that name/],
  [
    "more bytes than it says",
    [file("a", { data: Buffer.alloc(5000), claimedSize: 10 })],
    /too many bytes in the stream/,
  ],
  ["fewer bytes than it says", [file("a", { claimedSize: 4000 })], /not enough bytes/],
])("an archive with %s is refused, and nothing of it is left", async (_what, files, why) => {
  const { dir, refusal } = await locate(makeRawZip([MANIFEST, ...files]));
  expect(refusal.kind).toBe("install_refused");
  expect(refusal.message).toMatch(why);
  expect(refusal.message).toContain(join(dir, "it.mcpb"));
  expect(refusal.next).toMatch(/mcpb pack/);
  expect(storeOf(join(dir, "work"))).toEqual([]);
  expect(existsSync(join(dir, "evil"))).toBe(false);
});

test("a bomb is refused by what comes out of it, before the disk is full", async () => {
  const limits = { maxBytes: 2_000_000 };
  const zeros = Buffer.alloc(1_500_000);
  const honest = await locate(makeRawZip([MANIFEST, file("a", { data: zeros }), file("b", { data: zeros })]), limits);
  expect(honest.refusal.message).toMatch(/unpacks to more than 2000000 bytes/);
  const lying = makeRawZip([MANIFEST, file("a", { data: Buffer.alloc(8_000_000), claimedSize: 100 })]);
  expect(lying.length).toBeLessThan(20_000);
  expect((await locate(lying, limits)).refusal.message).toMatch(/is refused/);
});

test("600 MiB of nothing in half a megabyte are refused", async () => {
  const big = Buffer.alloc(300 * 1024 * 1024);
  const { refusal, dir } = await locate(makeRawZip([MANIFEST, file("a", { data: big }), file("b", { data: big })]));
  expect(refusal.message).toMatch(/unpacks to more than 524288000 bytes/);
  expect(storeOf(join(dir, "work"))).toEqual([]);
});

test("20 001 files are refused, and so are as many folders", async () => {
  const empty = Buffer.alloc(0);
  const many = Array.from({ length: 20_000 }, (_, index) => file(`f${index}`, { data: empty }));
  expect((await locate(makeRawZip([MANIFEST, ...many]))).refusal.message).toMatch(/more than 20000 files/);
  const deep = Array.from({ length: 40 }, (_, index) => file(`${index}/${"d/".repeat(30)}f`));
  expect((await locate(makeRawZip(deep), { maxFiles: 1_000 })).refusal.message).toMatch(/more than 1000 folders/);
}, 60_000);

test.each<[what: string, archive: Buffer, why: RegExp]>([
  ["is no archive", Buffer.from("hello"), /cannot be read as a ZIP archive/],
  ["is empty", Buffer.alloc(0), /cannot be read as a ZIP archive/],
  ["is cut off", makeRawZip([MANIFEST]).subarray(0, 60), /cannot be read as a ZIP archive/],
  ["counts files that are not there", makeRawZip([MANIFEST], 7), /cannot be read as a ZIP archive/],
  ["counts more files than fit", makeRawZip([MANIFEST], 65_000), /more than 20000 files/],
])("a file that %s is refused", async (_what, archive, why) => {
  const { refusal, dir } = await locate(archive);
  expect(refusal.message).toMatch(why);
  expect(storeOf(join(dir, "work"))).toEqual([]);
});

test("a good archive keeps its folders and its programs, with 0755 and 0644 and nothing else", async () => {
  const dir = makeWorkDir();
  const files = {
    "server/run.sh": { text: "#!/bin/sh\n", mode: 0o104755 },
    "server/data.txt": { text: "öäü", mode: 0o100666 },
    "größe.txt": { text: "1" },
  };
  writeFileSync(join(dir, "good.mcpb"), await makeArchive("@acme/good", "1.2.0", files));
  const { directory } = await makeSources(dir).locate(pathEntry("good.mcpb"), order());
  expect(readFileSync(join(directory, "server/data.txt"), "utf8")).toBe("öäü");
  expect(statSync(join(directory, "server/run.sh")).mode & 0o7777).toBe(0o755);
  expect(statSync(join(directory, "server/data.txt")).mode & 0o7777).toBe(0o644);
  expect(existsSync(join(directory, "größe.txt"))).toBe(true);
});

test("an archive that is reached through a link is taken; what is no file is refused", async () => {
  const dir = makeWorkDir();
  writeFileSync(join(dir, "good"), await makeArchive("good", "1.0.0"));
  symlinkSync(join(dir, "good"), join(dir, "link.mcpb"));
  symlinkSync("/dev/null", join(dir, "null.mcpb"));
  const { locate: find } = makeSources(dir);
  await expect(find(pathEntry("link.mcpb"), order())).resolves.toMatchObject({ origin: "path" });
  await expect(find(pathEntry("null.mcpb"), order())).rejects.toThrow(/is not a regular file/);
});
