/** Packages of npm, with the npm of this machine: from a registry of the test, and one from npm's own. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { makeWorkDir } from "../bundles-for-tests.ts";
import type { Located } from "../located.ts";
import { readManifest } from "../read-manifest.ts";
import { resolveCommand, type ResolvedCommand } from "../resolve-command.ts";
import { openNpmShop, packPackage, type PackedPackage } from "./npm-registry-for-tests.ts";
import { makeSources, nameEntry, order, sendJson, startRegistry, storeOf } from "./sources-for-tests.ts";

/** What would be started. */
const commandOf = async (located: Located, userConfig = {}): Promise<ResolvedCommand> => {
  const { manifest, directory } = await readManifest({ located, profile: "strict", offered: [] });
  return resolveCommand({
    manifest,
    directory,
    provider: "it",
    userConfig,
    platform: process.platform,
    home: "/home/x",
    path: "/bin",
    pythonPath: null,
    nodePath: "/node",
    exists: () => false,
  });
};

const server = (version = "1.0.0", more = {}): PackedPackage =>
  packPackage({
    name: "@acme/echo",
    version,
    more: { bin: { "echo-server": "dist/run.js" }, author: "A. Cme <a@example.com>", ...more },
    files: { "dist/run.js": "#!/usr/bin/env node\n" },
  });

describe("with the npm of this machine", () => {
  test("a package is resolved, installed without its scripts, recorded, and stays what it was", async () => {
    const dir = makeWorkDir();
    const marker = join(dir, "script-ran");
    const touch = `node -e "require('fs').writeFileSync('${marker}', '')"`;
    const first = server("1.0.0", {
      scripts: { preinstall: touch, install: touch, postinstall: touch, prepare: touch },
    });
    const packages = [first];
    const shop = await openNpmShop(() => packages);
    const { locate } = makeSources(dir, { env: shop.env });
    const heard: string[] = [];
    const onProgress = ({ message }: { message: string }): number => heard.push(message);
    const located = await locate(nameEntry("npm:@acme/echo", { args: ["--port", "1"] }), order({ onProgress }));
    const hex = Buffer.from(first.integrity.slice(7), "base64").toString("hex");
    const { directory } = located;
    expect(directory.startsWith(join(dir, "bundles", "@acme", "echo", `1.0.0-${hex.slice(0, 12)}-`))).toBe(true);
    expect(located).toMatchObject({
      digest: first.integrity,
      cached: false,
      origin: "npm",
      trustScore: null,
    });
    expect(await commandOf(located)).toMatchObject({
      command: "/node",
      args: [join(directory, "node_modules/@acme/echo/dist/run.js"), "--port", "1"],
    });
    expect(located.manifest).toMatchObject({ name: "@acme/echo", version: "1.0.0" });
    expect(heard).toEqual(["asking npm for @acme/echo", "installing @acme/echo 1.0.0 with npm"]);
    expect(existsSync(marker)).toBe(false);

    packages.push(server("2.0.0"));
    const count = shop.asked.length;
    const again = await makeSources(dir, { env: shop.env }).locate(nameEntry("npm:@acme/echo"), order());
    expect(again).toMatchObject({ directory, cached: true });
    expect(shop.asked).toHaveLength(count);
    const upgraded = await locate(nameEntry("npm:@acme/echo"), order({ fresh: "newest" }));
    expect(upgraded.manifest).toMatchObject({ version: "2.0.0" });
    await expect(locate(nameEntry("npm:@acme/echo@1.0.0"), order())).resolves.toMatchObject({ directory });
    expect(readdirSync(join(dir, "bundles", ".tmp"))).toEqual([]);
  });

  test("a package that is not the one that was resolved is refused, with both hashes", async () => {
    const dir = makeWorkDir();
    const [honest, other] = [server(), packPackage({ name: "@acme/echo", version: "1.0.0", more: { bin: "x.js" } })];
    const swapped = { ...honest, bytes: other.bytes };
    const shop = await openNpmShop(
      () => [swapped],
      (_, question) => (question > 1 ? { integrity: other.integrity } : {}),
    );
    await expect(
      makeSources(dir, { env: shop.env }).locate(nameEntry("npm:@acme/echo"), order()),
    ).rejects.toMatchObject({
      kind: "install_refused",
      details: { expected: honest.integrity, actual: other.integrity },
    });
    const forged = await openNpmShop(() => [swapped]);
    await expect(makeSources(dir, { env: forged.env }).locate(nameEntry("npm:@acme/echo"), order())).rejects.toThrow(
      /npm install @acme\/echo@1\.0\.0 failed: .*EINTEGRITY/,
    );
    expect(storeOf(dir)).toEqual([]);
  });

  test("of several programs one must be named, and what follows are its arguments", async () => {
    const dir = makeWorkDir();
    const made = packPackage({
      name: "tools",
      version: "1.0.0",
      more: { bin: { one: "one.js", two: "two.sh" } },
      files: { "one.js": "", "two.sh": "#!/bin/sh\n" },
    });
    const { env } = await openNpmShop(() => [made]);
    const { locate } = makeSources(dir, { env });
    const asked = (args: readonly string[]): Promise<Located> =>
      locate(nameEntry("npm:tools@1.0.0", { args }), order());
    await expect(asked([])).rejects.toMatchObject({
      message: "tools has several programs: one, two.",
      next: `Name one of them first in the entry's "args": ["bin:one"]`,
    });
    const { command, args } = await commandOf(await asked(["bin:two", "a b", "$(x)"]));
    expect(command).toMatch(/\/node_modules\/tools\/two\.sh$/);
    expect(args).toEqual(["a b", "$(x)"]);
    await expect(asked(["bin:toString"])).rejects.toThrow(/tools has no program "toString"; it has one, two/);
  });

  test("a package without a program, and one whose program lies elsewhere, are refused", async () => {
    const packages = [
      packPackage({ name: "library", version: "1.0.0" }),
      packPackage({ name: "outside", version: "1.0.0", more: { bin: { x: "../../../../../../bin/sh" } } }),
    ];
    const { env } = await openNpmShop(() => packages);
    const { locate } = makeSources(makeWorkDir(), { env });
    await expect(locate(nameEntry("npm:library"), order())).rejects.toThrow(/library has no program/);
    await expect(locate(nameEntry("npm:outside"), order())).rejects.toThrow(
      /The program .* of outside is not in the package/,
    );
    await expect(locate(nameEntry("npm:missing"), order())).rejects.toMatchObject({
      message: expect.stringMatching(/npm view missing@latest failed: .*E404/) as string,
      next: "Correct the package's name or version.",
    });
  });

  test("files that somebody damaged are installed anew", async () => {
    const made = server();
    const { env } = await openNpmShop(() => [made]);
    const { locate } = makeSources(makeWorkDir(), { env });
    const first = await locate(nameEntry("npm:@acme/echo"), order());
    writeFileSync(join(first.directory, "node_modules/@acme/echo/package.json"), "{");
    await expect(locate(nameEntry("npm:@acme/echo"), order())).resolves.toEqual(first);
  });

  test("a person who gives up ends npm", async () => {
    const stop = new AbortController();
    const silent = await startRegistry(() => stop.abort(new Error("enough")));
    const { env } = await openNpmShop(() => []);
    const dir = makeWorkDir();
    const { locate } = makeSources(dir, { env: { ...env, npm_config_registry: silent.url } });
    await expect(locate(nameEntry("npm:@acme/echo"), order({ signal: stop.signal }))).rejects.toThrow("enough");
    expect(storeOf(dir)).toEqual([]);
  });

  test("what an MCP registry says of a package becomes arguments, variables and fields to fill in", async () => {
    const made = server();
    const { env } = await openNpmShop(() => [made]);
    const descriptor = {
      name: "io.acme/echo",
      version: "7.0.0",
      _meta: { "ai.nimblebrain/host": { host_version: "1.0", name: "Echo" } },
      packages: [
        {
          registryType: "npm",
          registryBaseUrl: "https://registry.npmjs.org",
          identifier: "@acme/echo",
          version: "1.0.0",
          transport: { type: "stdio" },
          packageArguments: [
            { type: "positional", value: "serve" },
            { type: "named", name: "--level", default: "2" },
          ],
          environmentVariables: [
            { name: "MODE", value: "mcp" },
            { name: "API_KEY", isRequired: true, isSecret: true, description: "From your account" },
            { name: "bad name", value: "x" },
          ],
        },
      ],
    };
    const registry = await startRegistry((_request, response) => sendJson(response, { server: descriptor }));
    const { locate } = makeSources(makeWorkDir(), { env, registries: [{ type: "mcp", url: registry.url }] });
    const located = await locate(nameEntry("io.acme/echo", { args: ["--more"] }), order());
    expect(located).toMatchObject({ digest: made.integrity, origin: `mcp ${registry.url}` });
    expect(located.manifest?.["_meta"]).toEqual(descriptor._meta);
    await expect(commandOf(located)).rejects.toThrow(/API_KEY/);
    const { args, env: variables, secrets } = await commandOf(located, { API_KEY: "s3cret" });
    expect(args.slice(1)).toEqual(["serve", "--level", "2", "--more"]);
    expect(variables).toEqual({ MODE: "mcp", API_KEY: "s3cret" });
    expect(secrets).toEqual(["s3cret"]);
    const given = await locate(nameEntry("io.acme/echo", { env: { API_KEY: "${env:KEY}" } }), order());
    expect(given).toMatchObject({ cached: true });
    expect((await commandOf(given)).env).toEqual({ MODE: "mcp" });
  });
});

test.each([
  "npm:",
  "npm:--global",
  "npm:-g",
  "npm:../evil",
  "npm:./evil",
  "npm:/etc",
  "npm:file:/etc",
  "npm:git+https://a.example/b.git",
  "npm:https://a.example/b.tgz",
  "npm:acme/echo",
  "npm:@acme",
  "npm:@/echo",
  "npm:a b",
  "npm:a;b",
  "npm:.hidden",
  `npm:${"a".repeat(300)}`,
  "npm:echo@latest",
  "npm:echo@^1.0.0",
  "npm:echo@1",
  "npm:echo@v1.0.0",
  "npm:echo@npm:other@1.0.0",
  "npm:echo@file:/etc",
  "npm:echo@",
])("%s is refused without asking npm", async (name) => {
  const { locate } = makeSources(makeWorkDir(), { env: {}, nodePath: "/nowhere/node" });
  await expect(locate(nameEntry(name, { serverName: "it" }), order())).rejects.toThrow(
    /is not the name of a package of npm|is not an exact version/,
  );
});

test("a version is written once", async () => {
  const { locate } = makeSources(makeWorkDir());
  await expect(locate(nameEntry("npm:echo@1.0.0", { version: "2.0.0" }), order())).rejects.toThrow(
    /asks for npm:echo@1/,
  );
});

test("a machine without npm is told what to install", async () => {
  const dir = makeWorkDir();
  mkdirSync(join(dir, "empty"));
  const { locate } = makeSources(dir, { env: { PATH: join(dir, "empty") }, nodePath: join(dir, "empty", "node") });
  await expect(locate(nameEntry("npm:echo"), order())).rejects.toMatchObject({
    kind: "install_refused",
    message: expect.stringMatching(/^npm is not installed/) as string,
    next: expect.stringMatching(/Install Node\.js with npm/) as string,
  });
});

const isReachable = await fetch("https://registry.npmjs.org/-/ping", { signal: AbortSignal.timeout(5_000) }).then(
  ({ ok }) => ok,
  () => false,
);

test.skipIf(!isReachable)(
  "a real server comes from npm's own registry (needs the network)",
  async () => {
    const dir = makeWorkDir();
    const { locate } = makeSources(dir);
    const located = await locate(
      nameEntry("npm:@modelcontextprotocol/server-memory@2026.8.31"),
      order({ signal: AbortSignal.timeout(110_000) }),
    );
    expect(located.digest).toMatch(/^sha512-/);
    const { command, args } = await commandOf(located);
    expect([command, existsSync(args[0] ?? "")]).toEqual(["/node", true]);
    const child = spawn(process.execPath, args, { cwd: dir, stdio: ["pipe", "pipe", "ignore"] });
    onTestFinished(() => void child.kill("SIGKILL"));
    const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "0" } };
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params })}\n`);
    const [answer] = (await once(child.stdout, "data")) as [Buffer];
    expect(JSON.parse(answer.toString())).toMatchObject({ id: 1, result: { serverInfo: {} } });
  },
  120_000,
);
