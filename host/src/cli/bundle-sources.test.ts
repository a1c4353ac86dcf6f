/** Where bundles come from, asked for in the terminal and over REST of a running host: real archives, real registries. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createCli, type Cli, type Ran } from "./cli-for-tests.ts";
import { askRest, openHouse, type House } from "./doors-for-tests.ts";
import { openRegistries, pack, rename, sha256, type Registries, type Shelf } from "./packages-for-tests.ts";

// Many commands, each a process of its own.
vi.setConfig({ testTimeout: 90_000 });

const WRONG = "1".repeat(64);
const UI = { host_version: "1.0", name: "Notes", icon: "notebook", primaryView: { resourceUri: "ui://notes/main" } };

let cli: Cli;
let house: House;
let registries: Registries;
const shelf: Shelf = { mpak: new Map(), mcp: new Map(), files: new Map(), trustScore: 87 };

beforeAll(async () => {
  registries = await openRegistries(shelf);
  cli = createCli();
  mkdirSync(join(cli.dir, "shop"));
  cli.configure({
    workDir: "work",
    noDefaultBundles: true,
    allowInsecureRemotes: true,
    registries: [
      { type: "dir", path: "shop" },
      { type: "mpak", url: registries.url },
      { type: "mcp", url: registries.url },
    ],
  });
  house = await openHouse(cli);
});
afterAll(async () => {
  registries.close();
  await cli.clean();
});

const entries = (): readonly Record<string, unknown>[] => {
  const file = JSON.parse(readFileSync(join(cli.dir, "bailiwick.json"), "utf8")) as { bundles?: [] };
  return file.bundles ?? [];
};
const unpacked = (): string[] => {
  const home = join(cli.workDir, "bundles");
  if (!existsSync(home)) return [];
  return readdirSync(home, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith("manifest.json"));
};
const scratch = (): string[] => {
  const home = join(cli.workDir, "bundles", ".tmp");
  return existsSync(home) ? readdirSync(home) : [];
};
const apps = async (): Promise<string[]> =>
  (await askRest(house, "/v1/apps")).json.apps.map(({ name }: { name: string }) => name);
const call = async (name: string): Promise<string> => (await cli.run(["call", `${name}__which`])).out.trim();
const remove = async (name: string): Promise<void> => {
  const { code, err } = await cli.run(["bundle", "remove", name]);
  expect([code, err]).toEqual([0, expect.stringContaining("kept in")]);
};
const added = ({ code, err }: Ran): void => expect([code, err]).toEqual([0, expect.anything()]);
const install = (body: object): ReturnType<typeof askRest> =>
  askRest(house, "/v1/apps/install", { method: "POST", body });

/** What an install tells on the way, by the names of the events. */
const follow = async (body: object): Promise<readonly (readonly [string, any])[]> => {
  const response = await fetch(`${house.origin}/v1/apps/install`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${house.key}`,
      accept: "text/event-stream",
      "content-type": "application/json",
    },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  return [...text.matchAll(/^event: (\w+)\ndata: (.*)$/gm)].map(([, event = "", data = ""]) => [
    event,
    JSON.parse(data),
  ]);
};

/** Nothing came of it: no entry, no provider, no files. */
const expectNothing = async (before: readonly string[]): Promise<void> => {
  expect(entries()).toEqual([]);
  expect(await apps()).toEqual([]);
  expect(unpacked()).toEqual(before);
  expect(scratch()).toEqual([]);
};

describe("a packed file", () => {
  it("is installed from where one stands, by its digest", async () => {
    const bytes = await pack({ name: "@tests/packed", version: "1.0.0" });
    writeFileSync(join(cli.dir, "packed.mcpb"), bytes);
    const ran = await cli.run(["bundle", "add", "--path", "packed.mcpb"]);
    added(ran);
    expect(ran.out).toContain(`sha256:${sha256(bytes)}`);
    expect(await call("packed")).toBe("1.0.0");
    expect(entries()).toMatchObject([{ path: join(cli.dir, "packed.mcpb") }]);
    await remove("packed");
  });

  it.each([
    ["a name that climbs out", { path: "xx/evil.txt", text: "x" }, "../evil.txt", /\.\./],
    ["an absolute name", { path: "x/evil.txt", text: "x" }, "/x/evil.tx", /absolute|evil/],
    ["a link", { path: "link", text: "/etc/passwd", mode: 0o120777 }, null, /link/],
  ] as const)("with %s is refused and leaves nothing, in the terminal and over REST", async (_, file, to, why) => {
    const good = await pack({ name: "@tests/hostile", version: "1.0.0", files: [file] });
    const path = join(cli.dir, "hostile.mcpb");
    writeFileSync(path, to === null ? good : rename(good, file.path.slice(0, to.length), to));
    const before = unpacked();
    const { code, err } = await cli.run(["bundle", "add", "--path", path]);
    expect([code, err]).toEqual([3, expect.stringMatching(why)]);
    expect(await install({ path })).toMatchObject({ status: 422, json: { error: "install_refused" } });
    await expectNothing(before);
    expect(existsSync(join(cli.workDir, "evil.txt")) || existsSync(join(cli.dir, "evil.txt"))).toBe(false);
  });
});

it("an archive that would unpack to more than the host takes is refused and leaves nothing", async () => {
  const bytes = await pack({ name: "@tests/bomb", version: "1.0.0" });
  const listed = bytes.lastIndexOf("PK\u0001\u0002");
  bytes.writeUInt32LE(512 * 1024 * 1024, listed + 24);
  const path = join(cli.dir, "bomb.mcpb");
  writeFileSync(path, bytes);
  const before = unpacked();
  const { code, err } = await cli.run(["bundle", "add", "--path", path]);
  expect([code, err]).toEqual([3, expect.stringContaining("524288000 bytes")]);
  await expectNothing(before);
});

describe("a name", () => {
  it("in a folder means the newest there, and stays that until somebody installs anew", async () => {
    const shop = (version: string): string => join(cli.dir, "shop", `shelved-${version}.mcpb`);
    for (const version of ["1.9.0", "1.10.0"]) {
      writeFileSync(shop(version), await pack({ name: "@tests/shelved", version }));
    }
    added(await cli.run(["bundle", "add", "@tests/shelved"]));
    expect(await call("shelved")).toBe("1.10.0");
    expect(entries()).toMatchObject([{ name: "@tests/shelved" }]);
    writeFileSync(shop("2.0.0"), await pack({ name: "@tests/shelved", version: "2.0.0" }));
    expect((await cli.run(["bundle", "restart", "shelved"])).code).toBe(0);
    expect(await call("shelved")).toBe("1.10.0");
    await remove("shelved");
    added(await cli.run(["bundle", "add", "@tests/shelved"]));
    expect(await call("shelved")).toBe("2.0.0");
    await remove("shelved");
    added(await cli.run(["bundle", "add", "@tests/shelved", "--version", "1.9.0"]));
    expect(await call("shelved")).toBe("1.9.0");
    expect(entries()).toMatchObject([{ name: "@tests/shelved", version: "1.9.0" }]);
    await remove("shelved");
    rmSync(join(cli.dir, "shop"), { recursive: true });
    mkdirSync(join(cli.dir, "shop"));
  });

  it("at mpak is downloaded with progress, shown with its score, and recorded with score and ui", async () => {
    const manifest = { _meta: { "ai.nimblebrain/host": UI } };
    const bytes = await pack({ name: "@acme/notes", version: "1.2.0", manifest });
    shelf.mpak.set("@acme/notes", [{ version: "1.2.0", bytes }]);
    const ran = await cli.run(["bundle", "add", "@acme/notes"]);
    added(ran);
    expect(ran.err).toMatch(/downloading @acme\/notes 1\.2\.0/);
    expect(ran.err).toMatch(/starting notes/);
    expect(ran.out).toMatch(/trust score +87 of 100/);
    expect(ran.out).toContain(`mpak ${registries.url}`);
    expect(entries()).toEqual([
      {
        name: "@acme/notes",
        trustScore: 87,
        ui: { name: "Notes", icon: "notebook", primaryView: { resourceUri: "ui://notes/main" } },
      },
    ]);
    expect((await askRest(house, "/v1/apps/notes")).json).toMatchObject({
      trustScore: 87,
      digest: `sha256:${sha256(bytes)}`,
      version: "1.2.0",
    });
    await remove("notes");
  });

  it("is followed over REST step by step, to one end", async () => {
    const bytes = await pack({ name: "@acme/followed", version: "1.0.0" });
    shelf.mpak.set("@acme/followed", [{ version: "1.0.0", bytes }]);
    const heard = await follow({ name: "@acme/followed" });
    expect(heard[0]).toEqual(["progress", expect.objectContaining({ message: "downloading @acme/followed 1.0.0" })]);
    expect(heard.slice(0, -1).map(([event]) => event)).not.toContain("done");
    expect(heard.at(-1)).toEqual(["done", expect.objectContaining({ name: "followed", status: "running" })]);
    const { out } = await cli.run(["evidence", "tail", "-n", "1000", "--json"]);
    const installed = out.split("\n").filter((line) => line.includes("bundle_installed") && line.includes("followed"));
    expect(installed).toEqual([expect.stringContaining(`sha256:${sha256(bytes)}`)]);
    await remove("followed");
    shelf.mpak.set("@acme/followed", [{ version: "2.0.0", bytes, sha256: WRONG }]);
    const refused = await follow({ name: "@acme/followed" });
    expect(refused.filter(([event]) => event !== "progress")).toEqual([
      ["error", expect.objectContaining({ error: "install_refused" })],
    ]);
    expect(await apps()).toEqual([]);
  });

  it("whose archive is not what the registry says is refused with both digests, and leaves nothing", async () => {
    const bytes = await pack({ name: "@acme/forged", version: "1.0.0" });
    shelf.mpak.set("@acme/forged", [{ version: "1.0.0", bytes, sha256: WRONG }]);
    shelf.files.set("/forged.mcpb", bytes);
    const packages = [
      {
        registryType: "mcpb",
        identifier: `${registries.url}/forged.mcpb`,
        fileSha256: WRONG,
        transport: { type: "stdio" },
      },
    ];
    shelf.mcp.set("io.tests/forged", { name: "io.tests/forged", description: "d", version: "1.0.0", packages });
    const before = unpacked();
    for (const name of ["@acme/forged", "io.tests/forged"]) {
      const { code, err } = await cli.run(["bundle", "add", name]);
      expect([code, err]).toEqual([3, expect.stringContaining(WRONG)]);
      expect(err).toContain(sha256(bytes));
      expect(await install({ name })).toMatchObject({ status: 422, json: { error: "install_refused" } });
    }
    await expectNothing(before);
    const { out } = await cli.run(["evidence", "tail", "-n", "1000"]);
    expect(out.match(/bundle_install_refused/g)?.length).toBeGreaterThanOrEqual(4);
  });

  it("in an MCP registry is downloaded and checked; what is only a server elsewhere becomes an entry for that", async () => {
    const bytes = await pack({ name: "weather", version: "1.0.0" });
    shelf.files.set("/weather.mcpb", bytes);
    const about = { name: "io.tests/weather", description: "Says the weather.", version: "1.0.0" };
    const item = { registryType: "mcpb", identifier: `${registries.url}/weather.mcpb`, transport: { type: "stdio" } };
    shelf.mcp.set(about.name, { ...about, packages: [{ ...item, fileSha256: sha256(bytes) }] });
    const done = await install({ name: about.name });
    expect(done).toMatchObject({ status: 201, json: { name: "weather", status: "running", version: "1.0.0" } });
    expect(await call("weather")).toBe("1.0.0");
    await remove("weather");
    const remote = { ...about, remotes: [{ type: "streamable-http", url: `${registries.url}/no-mcp` }] };
    shelf.mcp.set(about.name, remote);
    const { code, out } = await cli.run(["bundle", "add", about.name, "--json"]);
    expect(code).not.toBe(0);
    expect(JSON.parse(out)).toMatchObject({ error: "not_ready" });
    expect(registries.asked).toContain("/no-mcp");
    expect(entries()).toEqual([]);
  });
});

describe("a search", () => {
  it("goes over all registries; one that cannot be reached is named and fails nothing", async () => {
    const all = JSON.parse(readFileSync(join(cli.dir, "bailiwick.json"), "utf8")) as { registries: object[] };
    cli.configure({ ...all, registries: [...all.registries, { type: "mpak", url: "http://127.0.0.1:9" }] });
    expect((await cli.run(["reload"])).code).toBe(0);
    shelf.mpak.set("@acme/searched", [{ version: "3.0.0", bytes: Buffer.alloc(0) }]);
    writeFileSync(join(cli.dir, "shop", "s.mcpb"), await pack({ name: "@tests/searched", version: "1.0.0" }));
    const { code, out, err } = await cli.run(["bundle", "search", "searched"]);
    expect(code).toBe(0);
    expect(out).toMatch(/^@acme\/searched +3\.0\.0/m);
    expect(out).toMatch(/^@tests\/searched +1\.0\.0/m);
    expect(err).toMatch(/mpak http:\/\/127\.0\.0\.1:9\/? could not be searched/);
    const { json } = await askRest(house, "/v1/bundles/search?q=searched&limit=1");
    expect(json.bundles).toHaveLength(1);
    expect(json.unreachable).toMatchObject([{ registry: expect.stringContaining("127.0.0.1:9") }]);
  });
});
