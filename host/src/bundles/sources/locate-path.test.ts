/** `path` entries and directories of archives, as a person who writes them sees it. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeBundle, makeWorkDir, fixtureManifest } from "../bundles-for-tests.ts";
import { readManifest } from "../read-manifest.ts";
import { makeArchive, makeRawZip } from "./archive-for-tests.ts";
import { makeSources, nameEntry, order, pathEntry, storeOf } from "./sources-for-tests.ts";

const digestOf = (bytes: Buffer): string => `sha256:${createHash("sha256").update(bytes).digest("hex")}`;

test("a directory is used as it is", async () => {
  const dir = makeWorkDir();
  const path = makeBundle(dir, "echo", fixtureManifest("echo"));
  await expect(makeSources(dir).locate(pathEntry("echo"), order())).resolves.toEqual({
    directory: path,
    manifest: null,
    digest: null,
    cached: false,
    origin: "path",
    trustScore: null,
    certificationLevel: null,
  });
});

test("an archive is unpacked once, under its name, version and digest, and the gate takes it from there", async () => {
  const dir = makeWorkDir();
  const bytes = await makeArchive("@acme/echo", "1.2.0", { "server.js": { text: "1" } });
  writeFileSync(join(dir, "any.mcpb"), bytes);
  const { locate } = makeSources(dir);
  const located = await locate(pathEntry("any.mcpb"), order());
  const digest = digestOf(bytes);
  expect(located).toMatchObject({ digest, cached: false, origin: "path" });
  expect(located.directory).toBe(join(dir, "bundles", "@acme", "echo", `1.2.0-${digest.slice(7, 19)}`));
  await expect(readManifest({ located, profile: "strict", offered: [] })).resolves.toMatchObject({
    manifest: { name: "@acme/echo", version: "1.2.0" },
  });
  await expect(locate(pathEntry("any.mcpb"), order())).resolves.toEqual({ ...located, cached: true });
  expect(readdirSync(join(dir, "bundles", ".tmp"))).toEqual([]);
});

test("a fresh copy replaces what somebody has changed in the unpacked one", async () => {
  const dir = makeWorkDir();
  writeFileSync(join(dir, "a.mcpb"), await makeArchive("a", "1.0.0", { "server.js": { text: "right" } }));
  const { locate } = makeSources(dir);
  const { directory } = await locate(pathEntry("a.mcpb"), order());
  writeFileSync(join(directory, "server.js"), "wrong");
  await locate(pathEntry("a.mcpb"), order());
  expect(readFileSync(join(directory, "server.js"), "utf8")).toBe("wrong");
  await locate(pathEntry("a.mcpb"), order({ fresh: "newest" }));
  expect(readFileSync(join(directory, "server.js"), "utf8")).toBe("right");
});

test("ten starts at once do not get into each other's way", async () => {
  const dir = makeWorkDir();
  const files = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`f/${index}`, { text: "x" }]));
  writeFileSync(join(dir, "a.mcpb"), await makeArchive("a", "1.0.0", files));
  const all = await Promise.all(
    Array.from({ length: 10 }, (_, index) =>
      makeSources(dir).locate(pathEntry("a.mcpb"), order({ fresh: index > 4 && "copy" })),
    ),
  );
  const [folder] = new Set(all.map(({ directory }) => directory));
  expect(new Set(all.map(({ directory }) => directory)).size).toBe(1);
  expect(readdirSync(join(folder ?? "", "f"))).toHaveLength(50);
  expect(readdirSync(join(dir, "bundles", ".tmp"))).toEqual([]);
});

test("the name in a manifest cannot lead out of the store", async () => {
  const dir = makeWorkDir();
  const manifest = (name: string, version: string): Buffer =>
    makeRawZip([{ name: "manifest.json", data: Buffer.from(JSON.stringify({ name, version })) }]);
  const home = join(dir, "bundles");
  for (const [name, version] of [
    ["../../evil", "1.0.0"],
    ["..", "../../../evil"],
    ["/etc/x", "1\0"],
    [".tmp", "1"],
    ["@../..", "x/y"],
    ["C:\\x", "1"],
    ["x".repeat(5000), "9".repeat(5000)],
  ] as const) {
    writeFileSync(join(dir, "a.mcpb"), manifest(name, version));
    const { directory } = await makeSources(dir).locate(pathEntry("a.mcpb"), order());
    expect(directory.startsWith(`${home}/`)).toBe(true);
    expect(directory.startsWith(join(home, ".tmp"))).toBe(false);
    expect(directory.split("/")).not.toContain("..");
  }
});

test("a package that begins with the same digits as another does not take its place", async () => {
  const dir = makeWorkDir();
  writeFileSync(join(dir, "a.mcpb"), await makeArchive("a", "1.0.0"));
  const { locate } = makeSources(dir);
  const { directory, digest } = await locate(pathEntry("a.mcpb"), order());
  writeFileSync(`${directory}.digest`, `sha256:${digest?.slice(7, 19)}${"0".repeat(52)}`);
  await expect(locate(pathEntry("a.mcpb"), order())).rejects.toThrow(/Two packages whose digests begin alike/);
});

test("an archive with a signature at its end is taken", async () => {
  const dir = makeWorkDir();
  const signature = Buffer.from("MCPB_SIG_V1\u0004\0\0\0abcdMCPB_SIG_END");
  writeFileSync(join(dir, "a.mcpb"), Buffer.concat([await makeArchive("a", "1.0.0"), signature]));
  const { directory } = await makeSources(dir).locate(pathEntry("a.mcpb"), order());
  expect(readdirSync(directory)).toEqual(["manifest.json"]);
});

test("an archive above the limit is refused while it is read", async () => {
  const dir = makeWorkDir();
  writeFileSync(join(dir, "a.mcpb"), Buffer.alloc(5000));
  const { locate } = makeSources(dir, { limits: { maxBytes: 4999 } });
  await expect(locate(pathEntry("a.mcpb"), order())).rejects.toThrow(/more than 4999 bytes/);
});

test("an aborted start leaves nothing", async () => {
  const dir = makeWorkDir();
  writeFileSync(join(dir, "a.mcpb"), await makeArchive("a", "1.0.0"));
  const stopped = new Error("stopped");
  const signal = AbortSignal.abort(stopped);
  await expect(makeSources(dir).locate(pathEntry("a.mcpb"), order({ signal }))).rejects.toBe(stopped);
  expect(storeOf(dir)).toEqual([]);
});

test("a directory of archives: by the name inside, the newest or the one asked for, and it stays that one", async () => {
  const dir = makeWorkDir();
  const shelf = join(dir, "shelf");
  mkdirSync(shelf);
  for (const version of ["1.9.0", "1.10.0", "1.2.0"]) {
    writeFileSync(join(shelf, `${version}.mcpb`), await makeArchive("@acme/echo", version));
  }
  writeFileSync(join(shelf, "broken.mcpb"), "no archive");
  execFileSync("/bin/sh", ["-c", 'mkfifo "$0"', join(shelf, "pipe.mcpb")]);
  const { locate, search } = makeSources(dir, { registries: [{ type: "dir", path: "shelf" }] });
  const newest = await locate(nameEntry("@acme/echo"), order());
  expect(newest).toMatchObject({ cached: false, origin: `dir ${shelf}`, manifest: null });
  expect(newest.directory).toContain("/@acme/echo/1.10.0-");
  const old = await locate(nameEntry("@acme/echo", { version: "1.2.0" }), order());
  expect(old.directory).toContain("/@acme/echo/1.2.0-");
  writeFileSync(join(shelf, "2.mcpb"), await makeArchive("@acme/echo", "2.0.0"));
  await expect(locate(nameEntry("@acme/echo"), order())).resolves.toEqual({ ...newest, cached: true });
  const found = await search("ECHO", 10);
  expect(found).toMatchObject({
    bundles: [{ name: "@acme/echo", version: "2.0.0", tools: ["greet"] }],
    unreachable: [],
  });
  const upgraded = await locate(nameEntry("@acme/echo"), order({ fresh: "newest" }));
  expect(upgraded.directory).toContain("/@acme/echo/2.0.0-");
  rmSync(shelf, { recursive: true });
  await expect(locate(nameEntry("@acme/echo"), order())).resolves.toEqual({ ...upgraded, cached: true });
  await expect(locate(nameEntry("@acme/other"), order())).rejects.toThrow(/dir .*shelf could not be asked \(ENOENT\)/);
});

test("what was resolved for one workspace is not what another gets", async () => {
  const dir = makeWorkDir();
  const registries = [{ type: "dir", path: dir }] as const;
  writeFileSync(join(dir, "1.mcpb"), await makeArchive("a", "1.0.0"));
  const first = await makeSources(dir, { registries, workspace: "ws_one" }).locate(nameEntry("a"), order());
  writeFileSync(join(dir, "2.mcpb"), await makeArchive("a", "2.0.0"));
  const second = await makeSources(dir, { registries, workspace: "ws_two" }).locate(nameEntry("a"), order());
  const again = await makeSources(dir, { registries, workspace: "ws_one" }).locate(nameEntry("a"), order());
  expect(second.directory).toContain("/a/2.0.0-");
  expect(again).toEqual({ ...first, cached: true });
});

test("a name without a registry that has it is refused with the place that was asked", async () => {
  const dir = makeWorkDir();
  await expect(makeSources(dir).locate(nameEntry("@a/b"), order())).rejects.toMatchObject({
    kind: "install_refused",
    message: "@a/b was not found: no registry is configured.",
  });
  const { locate } = makeSources(dir, { registries: [{ type: "dir", path: dir }] });
  await expect(locate(nameEntry("@a/b", { version: "3.0.0" }), order())).rejects.toMatchObject({
    message: `@a/b 3.0.0 was not found in dir ${dir}.`,
  });
});
