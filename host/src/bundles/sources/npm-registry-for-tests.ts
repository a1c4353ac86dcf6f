/** A registry of npm on loopback with packages that the test makes, and the environment in which npm asks it. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { makeWorkDir } from "../bundles-for-tests.ts";
import { sendJson, startRegistry, type TestRegistry } from "./sources-for-tests.ts";

export interface TestPackage {
  readonly name: string;
  readonly version: string;
  /** Members of its `package.json`. */
  readonly more?: Readonly<Record<string, unknown>>;
  readonly files?: Readonly<Record<string, string>>;
}

export interface PackedPackage extends TestPackage {
  readonly bytes: Buffer;
  readonly integrity: string;
}

export const packPackage = (made: TestPackage): PackedPackage => {
  const dir = makeWorkDir();
  const facts = { name: made.name, version: made.version, ...made.more };
  const files = { "package.json": JSON.stringify(facts), ...made.files };
  for (const [path, text] of Object.entries(files)) {
    const file = join(dir, "package", path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    chmodSync(file, 0o644);
  }
  execFileSync("tar", ["-czf", "it.tgz", "package"], { cwd: dir });
  const bytes = readFileSync(join(dir, "it.tgz"));
  return { ...made, bytes, integrity: `sha512-${createHash("sha512").update(bytes).digest("base64")}` };
};

export interface NpmShop extends TestRegistry {
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** What is said of a package may change from one question to the next; they are counted from one. */
export type Describe = (packed: PackedPackage, question: number) => Readonly<Record<string, unknown>>;

export const openNpmShop = async (
  packages: () => readonly PackedPackage[],
  describe: Describe = () => ({}),
): Promise<NpmShop> => {
  let question = 0;
  const shop = await startRegistry((request, response, url) => {
    const path = decodeURIComponent(url.pathname.slice(1));
    const tarball = packages().find((each) => path === `files/${each.name}-${each.version}.tgz`);
    if (tarball !== undefined) return response.end(tarball.bytes);
    const named = packages().filter((each) => each.name === path);
    if (named.length === 0) return sendJson(response, { error: "not found" }, 404);
    question++;
    const versions = named.map((each) => {
      const file = `http://${request.headers.host}/files/${each.name}-${each.version}.tgz`;
      const dist = { tarball: file, integrity: each.integrity, ...describe(each, question) };
      return [each.version, { name: each.name, version: each.version, ...each.more, dist }];
    });
    response.setHeader("cache-control", "no-store");
    const latest = named.at(-1)?.version;
    sendJson(response, { name: path, "dist-tags": { latest }, versions: Object.fromEntries(versions) });
  });
  const dir = makeWorkDir();
  const { PATH } = process.env;
  const env = { PATH, HOME: dir, npm_config_registry: shop.url, npm_config_cache: join(dir, "cache") };
  return { ...shop, env: { ...env, npm_config_fetch_retries: "0" } };
};
