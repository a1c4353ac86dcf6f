/** A real server from npm, by its name, on the whole host. It comes from npm's cache of this machine, or from the network. */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createCli, type Cli } from "./cli-for-tests.ts";
import { askRest, openHouse, type House } from "./doors-for-tests.ts";

const NAME = "@modelcontextprotocol/server-memory";
const VERSION = "2026.8.31";

const npm = (...args: readonly string[]): string =>
  execFileSync("npm", args, { encoding: "utf8", stdio: "pipe" }).trim();

const whyNot = (): string | null => {
  try {
    npm("view", `${NAME}@${VERSION}`, "version", "--prefer-offline", "--fetch-retries=0", "--fetch-timeout=5000");
    return null;
  } catch {
    return "npm has it neither in its cache nor within reach";
  }
};
const reason = whyNot();

describe.skipIf(reason !== null)(`a package of npm${reason === null ? "" : ` (left out: ${reason})`}`, () => {
  let cli: Cli;
  let house: House;
  beforeAll(async () => {
    cli = createCli();
    // The person's own npm settings are what counts; HOME and the environment are the test's.
    const own = (key: string): string => npm("config", "get", key);
    const cafile = process.env["NODE_EXTRA_CA_CERTS"] ?? own("cafile");
    const settings = [`cache=${own("cache")}`, `registry=${own("registry")}`, "prefer-offline=true", "fetch-retries=0"];
    if (cafile !== "null") settings.push(`cafile=${cafile}`);
    writeFileSync(join(cli.dir, ".npmrc"), `${settings.join("\n")}\n`);
    cli.configure({ workDir: "work", noDefaultBundles: true, registries: [] });
    house = await openHouse(cli);
  });
  afterAll(() => cli.clean());

  it("is installed in the version that is asked for, by its integrity, and works", async () => {
    const { code, out, err } = await cli.run(["bundle", "add", `npm:${NAME}@${VERSION}`, "--server-name", "memory"]);
    expect([code, err]).toEqual([0, expect.anything()]);
    expect(out).toContain(VERSION);
    expect(out).toMatch(/digest +sha512-/);
    const file = JSON.parse(readFileSync(join(cli.dir, "bailiwick.json"), "utf8")) as { bundles: object[] };
    expect(file.bundles).toMatchObject([{ name: `npm:${NAME}@${VERSION}`, serverName: "memory" }]);
    const { json } = await askRest(house, "/v1/tools/call", {
      method: "POST",
      body: { name: "memory__read_graph", arguments: {} },
    });
    expect(json).toMatchObject({ structuredContent: { entities: [], relations: [] } });
    expect((await cli.run(["bundle", "remove", "memory"])).code).toBe(0);
  }, 120_000);
});
