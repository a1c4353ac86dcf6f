/** What a person asked for is what runs: no other name, no other version, and nothing exchanged under it. */
import { createHash } from "node:crypto";
import { chmodSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeWorkDir } from "../bundles-for-tests.ts";
import { makeArchive } from "./archive-for-tests.ts";
import { makeSources, nameEntry, order, sendJson, startRegistry, storeOf } from "./sources-for-tests.ts";

const shelve = async (): Promise<{ dir: string; put: (version: string, text?: string) => Promise<void> }> => {
  const dir = makeWorkDir();
  mkdirSync(join(dir, "shelf"));
  const put = async (version: string, text = "right"): Promise<void> =>
    writeFileSync(
      join(dir, "shelf", `${version}.mcpb`),
      await makeArchive("@acme/echo", version, { "lib/server.js": { text, mode: 0o755 } }),
    );
  await put("1.0.0");
  return { dir, put };
};

const registries = [{ type: "dir", path: "shelf" }] as const;

test("a fresh copy is of the version that was there, whatever is the newest by now", async () => {
  const { dir, put } = await shelve();
  const { locate } = makeSources(dir, { registries });
  const first = await locate(nameEntry("@acme/echo"), order());
  await put("2.0.0");
  writeFileSync(join(first.directory, "lib/server.js"), "wrong");
  await expect(locate(nameEntry("@acme/echo"), order({ fresh: "copy" }))).resolves.toEqual(first);
  expect(readFileSync(join(first.directory, "lib/server.js"), "utf8")).toBe("right");
  await expect(locate(nameEntry("@acme/echo"), order())).resolves.toEqual({ ...first, cached: true });
  await put("1.0.0", "another");
  await expect(locate(nameEntry("@acme/echo"), order({ fresh: "copy" }))).rejects.toMatchObject({
    kind: "install_refused",
    details: { expected: first.digest },
  });
});

test("an install in one workspace leaves the folder alone that another one runs from", async () => {
  const { dir } = await shelve();
  const one = await makeSources(dir, { registries, workspace: "ws_one" }).locate(nameEntry("@acme/echo"), order());
  const { ino } = statSync(one.directory);
  writeFileSync(join(one.directory, "cache.pyc"), "made at run time");
  const { locate } = makeSources(dir, { registries, workspace: "ws_two" });
  const two = await locate(nameEntry("@acme/echo"), order({ fresh: "newest" }));
  expect(two.directory).toBe(one.directory);
  expect(statSync(one.directory).ino).toBe(ino);
  expect(readFileSync(join(one.directory, "cache.pyc"), "utf8")).toBe("made at run time");
});

test.each([
  ["changed", (file: string) => writeFileSync(file, "wrong")],
  ["gone", (file: string) => rmSync(file)],
  ["no program any more", (file: string) => chmodSync(file, 0o644)],
  ["a folder", (file: string) => (rmSync(file), mkdirSync(file))],
])("a folder with a file that is %s is exchanged for a whole one", async (_what, damage) => {
  const { dir } = await shelve();
  const { locate } = makeSources(dir, { registries });
  const { directory } = await locate(nameEntry("@acme/echo"), order());
  const file = join(directory, "lib/server.js");
  damage(file);
  await locate(nameEntry("@acme/echo"), order({ fresh: "newest" }));
  expect([readFileSync(file, "utf8"), statSync(file).mode & 0o111]).toEqual(["right", 0o111]);
});

const openMpak = async (
  bytes: Buffer,
  { detail = {}, bundle = {} }: { readonly detail?: object; readonly bundle?: object } = {},
): Promise<string> => {
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  const { url } = await startRegistry((_request, response, { pathname }) => {
    if (pathname === "/it") return response.end(bytes);
    if (pathname.endsWith("/download")) return sendJson(response, { url: "/it", bundle: { sha256, ...bundle } });
    sendJson(response, { latest_version: "1.2.3", ...detail });
  });
  return url;
};

test.each<[what: string, archive: [name: string, version: string], says: object, why: RegExp]>([
  [
    "sends an archive of another name",
    ["@other/name", "1.2.3"],
    {},
    /^The archive of @m\/pak 1\.2\.3 is @other\/name 1\.2\.3; asked for was @m\/pak 1\.2\.3\.$/,
  ],
  ["sends an archive of another version", ["@m/pak", "9.9.9"], {}, /is @m\/pak 9\.9\.9; asked for was @m\/pak 1\.2\.3/],
  [
    "announces another version",
    ["@m/pak", "1.2.3"],
    { bundle: { name: "@m/pak", version: "7.7.7" } },
    /What mpak .* sends is @m\/pak 7\.7\.7; asked for was @m\/pak 1\.2\.3/,
  ],
  [
    "announces another name",
    ["@m/pak", "1.2.3"],
    { bundle: { name: "x" } },
    /sends is x 1\.2\.3; asked for was @m\/pak/,
  ],
  [
    "tells of another name",
    ["@m/pak", "1.2.3"],
    { detail: { name: "@m/else" } },
    /is @m\/else; asked for was @m\/pak\./,
  ],
  ["has no text for a name", ["@m/pak", "1.2.3"], { bundle: { name: 7 } }, /is a package without a name 1\.2\.3;/],
])("a registry that %s is not followed", async (_what, [name, version], says, why) => {
  const dir = makeWorkDir();
  const url = await openMpak(await makeArchive(name, version), says);
  for (const more of [{ version: "1.2.3" }, {}]) {
    const { locate } = makeSources(dir, { registries: [{ type: "mpak", url }] });
    await expect(locate(nameEntry("@m/pak", more), order())).rejects.toMatchObject({
      kind: "install_refused",
      message: expect.stringMatching(why) as string,
    });
  }
  expect(storeOf(dir)).toEqual([]);
});

test.each([
  [{ name: "io.acme/other", version: "1.0.0" }, "is io.acme/other 1.0.0; asked for was io.acme/echo 1.0.0."],
  [{ name: "io.acme/echo", version: "2.0.0" }, "is io.acme/echo 2.0.0; asked for was io.acme/echo 1.0.0."],
])("a server that an MCP registry sends in the place of another is refused: %j", async (server, why) => {
  const packages = [{ registryType: "npm", identifier: "echo", version: "1.0.0", transport: { type: "stdio" } }];
  const { url } = await startRegistry((_request, response) => sendJson(response, { server: { ...server, packages } }));
  const { locate } = makeSources(makeWorkDir(), { registries: [{ type: "mcp", url }], env: {} });
  await expect(locate(nameEntry("io.acme/echo", { version: "1.0.0" }), order())).rejects.toThrow(
    `What mcp ${url} sends ${why}`,
  );
});
