/** Bundles that are to run shut in, on the whole host: what they reach, and what people are told where it cannot be done. */
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createCli, type Cli } from "./cli-for-tests.ts";
import { askRest, closeHouse, openHouse, type House } from "./doors-for-tests.ts";

const SERVER = fileURLToPath(new URL("../../test/fixtures/confined-server.mjs", import.meta.url));
// Many commands, each a process of its own.
vi.setConfig({ testTimeout: 90_000 });

const BWRAP = "bwrap";

const whyNot = (): string | null => {
  const trial =
    "--unshare-user --unshare-pid --unshare-ipc --unshare-uts --ro-bind / / --proc /proc --dev /dev -- true";
  try {
    execFileSync(BWRAP, trial.split(" "), { stdio: "pipe" });
    return null;
  } catch (error) {
    return String((error as { stderr?: Buffer }).stderr ?? error).trim();
  }
};
const reason = whyNot();
const leftOut = reason === null ? "" : ` (left out, bubblewrap does not work here: ${reason})`;

let cli: Cli;
beforeEach(() => {
  cli = createCli();
  for (const name of ["shut-in", "free"]) {
    mkdirSync(join(cli.dir, name));
    copyFileSync(SERVER, join(cli.dir, name, "server.mjs"));
    const mcp_config = { command: "node", args: ["${__dirname}/server.mjs"] };
    const manifest = {
      manifest_version: "0.3",
      name,
      version: "1.0.0",
      description: "Tries what it is told to.",
      author: { name: "tests" },
      server: { type: "node", entry_point: "server.mjs", mcp_config },
    };
    writeFileSync(join(cli.dir, name, "manifest.json"), JSON.stringify(manifest));
  }
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await cli.clean();
});

const tries = async (house: House, bundle: string, step: object): Promise<string> => {
  const body = { name: `${bundle}__try`, arguments: step };
  const { json } = await askRest(house, "/v1/tools/call", { method: "POST", body });
  return json.content?.[0]?.text ?? json.message;
};

const doctor = async (): Promise<string> => {
  const { out, err } = await cli.run(["doctor"]);
  return `${out}${err}`;
};

/** A search path on which there is Node and nothing else. */
const hideBwrap = (): void => {
  const bin = join(cli.dir, "bin");
  mkdirSync(bin);
  symlinkSync(process.execPath, join(bin, "node"));
  vi.stubEnv("PATH", bin);
};

describe.skipIf(reason !== null)(`with bubblewrap${leftOut}`, () => {
  it("a bundle that is shut in reaches no secret of the home or the host; everybody is told which are and which are not", async () => {
    cli.configure({
      workDir: "work",
      noDefaultBundles: true,
      bundles: [{ path: "shut-in", sandbox: "bwrap" }, { path: "free" }],
    });
    writeFileSync(join(cli.dir, "secret"), "of the home");
    const house = await openHouse(cli, "shut-in", "free");
    for (const path of [join(cli.dir, "secret"), join(cli.workDir, "owner.key"), join(cli.dir, "bailiwick.json")]) {
      expect(await tries(house, "shut-in", { step: "read", path })).toBe("no: ENOENT");
      expect(await tries(house, "free", { step: "read", path })).not.toMatch(/^no/);
    }
    const data = join(cli.workDir, "workspaces/ws_default/data/shut-in");
    expect(await tries(house, "shut-in", { step: "write", path: join(data, "own") })).toBe("written");
    const { apps } = (await askRest(house, "/v1/apps")).json;
    expect(apps).toMatchObject([
      { name: "shut-in", sandbox: "bwrap" },
      { name: "free", sandbox: "off" },
    ]);
    const { out } = await cli.run(["bundle", "status"]);
    expect(out).toMatch(/^shut-in .* bwrap/m);
    expect(out).toMatch(/^free .* off/m);
    expect((await cli.run(["bundle", "inspect", "shut-in"])).out).toMatch(/sandbox +bwrap/);
    expect((await cli.run(["bundle", "inspect", "free"])).out).toMatch(/sandbox +off: it runs as you/);
    expect(await doctor()).toMatch(/bubblewrap shuts in 1 of 2 bundles/);
    const evidence = (await cli.run(["evidence", "tail", "-n", "1000"])).out;
    expect(evidence).toContain("shut-in is running in the sandbox bwrap");
    expect(evidence).toContain("free is running without a sandbox");
    await closeHouse(house);
  });

  it("the setting of the whole host holds for each bundle that says nothing of its own", async () => {
    cli.configure({
      workDir: "work",
      noDefaultBundles: true,
      sandbox: { profile: "bwrap", require: true },
      bundles: [{ path: "shut-in" }, { path: "free", sandbox: "off" }],
    });
    const house = await openHouse(cli, "shut-in", "free");
    expect((await askRest(house, "/v1/apps")).json.apps).toMatchObject([{ sandbox: "bwrap" }, { sandbox: "off" }]);
    await closeHouse(house);
  });
});

describe("without bubblewrap", () => {
  it("what must be shut in is refused and never runs; what should be runs with a warning", async () => {
    hideBwrap();
    cli.configure({
      workDir: "work",
      noDefaultBundles: true,
      bundles: [
        { path: "shut-in", sandbox: { profile: "bwrap", require: true }, env: { FIXTURE_PIDS: join(cli.dir, "ran") } },
        { path: "free", sandbox: "bwrap" },
      ],
    });
    const house = await openHouse(cli, "free");
    const { apps } = (await askRest(house, "/v1/apps")).json;
    expect(apps).toMatchObject([
      { name: "shut-in", status: "refused", refusal: { data: { reason: "sandbox-unavailable" } } },
      { name: "free", status: "running", sandbox: "off", warnings: [expect.stringContaining("bubblewrap")] },
    ]);
    expect(await tries(house, "free", { step: "list", path: cli.dir })).not.toContain("ran");
    const { out, err } = await cli.run(["bundle", "status"]);
    expect(`${out}${err}`).toMatch(/free runs without its sandbox/);
    expect(await doctor()).toMatch(
      /bubblewrap \(bwrap\) is not on the host's PATH; 1 bundles? (?:is|are) refused for it/,
    );
    await closeHouse(house);
  });

  it("one that must be shut in is not installed", async () => {
    hideBwrap();
    cli.configure({ workDir: "work", noDefaultBundles: true, sandbox: { profile: "bwrap", require: true } });
    const { code, err } = await cli.run(["bundle", "add", "--path", "shut-in"]);
    expect([code, err]).toEqual([3, expect.stringContaining("Install bubblewrap")]);
  });
});
