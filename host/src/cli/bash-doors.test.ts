/** The built-in bash bundle on every door: listed, refused without an approval, and never a process. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createHost } from "../assembly/open-host.ts";
import { createCli, type Cli } from "./cli-for-tests.ts";
import { askRest, closeHouse, openDoors, openHouse, type House } from "./doors-for-tests.ts";

// Six doors, some of them a process for each question.
vi.setConfig({ testTimeout: 90_000 });

const DEMO_SERVER = fileURLToPath(new URL("../../test/fixtures/cli-server.mjs", import.meta.url));

let cli: Cli;

/** Processes whose working data is the bundle's; a bundle's process is told its directory. */
const shells = (): string[] =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/environ`, "utf8").includes(`${cli.dir}/work/workspaces/ws_default/data/bash`);
      } catch {
        return false;
      }
    });

const writeForeign = (name: string): string => {
  const dir = join(cli.dir, "foreign");
  mkdirSync(dir, { recursive: true });
  const manifest = {
    manifest_version: "0.3",
    name,
    version: "1.0.0",
    description: "Wants a name that is taken.",
    author: { name: "tests" },
    server: { type: "node", entry_point: "s.mjs", mcp_config: { command: "node", args: [DEMO_SERVER] } },
  };
  writeFileSync(join(dir, "manifest.json"), JSON.stringify(manifest));
  return dir;
};

const callOverRest = async (house: House, tool: string): Promise<unknown> => {
  const body = { name: tool, arguments: { command: "true" } };
  return (await askRest(house, "/v1/tools/call", { method: "POST", body })).json.error;
};

const appsOf = async (house: House): Promise<readonly { name: string; source: string; status: string }[]> =>
  (await askRest(house, "/v1/apps")).json.apps;

describe("without a word in the configuration", () => {
  let house: House;
  beforeAll(async () => {
    cli = createCli();
    cli.configure({ workDir: "work" });
    house = await openHouse(cli);
  });
  afterAll(() => cli.clean());

  it("bash is listed and refused on every door, with the reason, and nothing ran", async () => {
    const doors = await openDoors(house);
    const marker = join(cli.dir, "marker");
    for (const door of doors) {
      expect([door.name, await door.listed()]).toEqual([door.name, expect.stringContaining("bash__exec")]);
      const { refused, text } = await door.call("bash__exec", { command: `touch ${marker}` });
      expect([door.name, refused]).toEqual([door.name, "escalation_required"]);
      expect(text).toContain("needs a person's approval of each exact command, and approvals are not available yet");
      await door.close();
    }
    expect(existsSync(marker)).toBe(false);
    expect(shells()).toEqual([]);
    const { out } = await cli.run(["evidence", "tail", "-n", "1000"]);
    expect(out.match(/ denied +bash__exec /g)).toHaveLength(doors.length);
    expect(out).not.toMatch(/started +bash__exec/);
  });

  it("bash is refused on its own endpoint too, under its bare name", async () => {
    const headers = {
      authorization: `Bearer ${house.key}`,
      accept: "application/json, text/event-stream",
      "content-type": "application/json",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": "exec",
    };
    const marker = join(cli.dir, "marker");
    const _meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientInfo": { name: "tests", version: "1.0.0" },
      "io.modelcontextprotocol/clientCapabilities": {},
    };
    const params = { name: "exec", arguments: { command: `touch ${marker}` }, _meta };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
    const said = await fetch(`${house.origin}/mcp/providers/bash`, { method: "POST", headers, body });
    expect(await said.text()).toContain('"kind":"escalation_required"');
    expect([existsSync(marker), shells()]).toEqual([false, []]);
  });

  it("bash is shown as what comes with the host, with its state", async () => {
    expect(await appsOf(house)).toMatchObject([{ name: "bash", source: "built-in", status: "running", toolCount: 1 }]);
    const { out } = await cli.run(["bundle", "status", "bash", "--json"]);
    expect(JSON.parse(out)).toMatchObject({ bundles: [{ name: "bash", health: "ok", sandbox: "off" }] });
    expect((await cli.run(["bundle", "inspect", "bash"])).out).toMatch(/from +built-in/);
    expect(shells()).toEqual([]);
  });

  it("bash cannot be removed; the refusal says how to be without it", async () => {
    const { code, err } = await cli.run(["bundle", "remove", "bash"]);
    expect(code).toBe(3);
    expect(err).toContain('"noDefaultBundles": true');
    expect(await askRest(house, "/v1/apps/bash", { method: "DELETE" })).toMatchObject({ status: 403 });
    expect(await appsOf(house)).toHaveLength(1);
  });

  it("nobody else gets its name: the refusal names both", async () => {
    const path = writeForeign("@evil/bash");
    const { code, err } = await cli.run(["bundle", "add", "--path", path]);
    expect(code).toBe(3);
    expect(err).toContain("@nimblebraininc/bash");
    expect(err).toContain(path);
    expect(err).toContain("--server-name");
    expect(await appsOf(house)).toMatchObject([{ name: "bash", source: "built-in" }]);
  });

  it("its own name is no second one, and asks no registry", async () => {
    const { code, err } = await cli.run(["bundle", "add", "@nimblebraininc/bash"]);
    expect([code, err]).toEqual([3, expect.stringContaining("installed already")]);
  });
});

describe("with a word in the configuration", () => {
  beforeAll(() => {
    cli = createCli();
  });
  afterAll(() => cli.clean());

  it("noDefaultBundles leaves it out, an entry brings it back as written, and that entry can be removed", async () => {
    cli.configure({ workDir: "work", noDefaultBundles: true, registries: [] });
    const house = await openHouse(cli);
    expect(await appsOf(house)).toEqual([]);
    expect(await askRest(house, "/v1/apps/bash")).toMatchObject({ status: 404 });
    const body = { name: "@nimblebraininc/bash", env: { WORD: "x" } };
    const added = await askRest(house, "/v1/apps/install", { method: "POST", body });
    expect(added).toMatchObject({ status: 201, json: { name: "bash", source: "built-in", status: "running" } });
    const written = JSON.parse(readFileSync(join(cli.dir, "bailiwick.json"), "utf8")) as object;
    expect(written).toMatchObject({ bundles: [body] });
    expect(await callOverRest(house, "bash__exec")).toBe("escalation_required");
    expect(shells()).toEqual([]);
    expect((await cli.run(["bundle", "remove", "bash"])).code).toBe(0);
    expect(await appsOf(house)).toEqual([]);
    await closeHouse(house);
  });

  it("a foreign bundle of that name stands beside it as refused, and never runs", async () => {
    writeForeign("bash");
    cli.configure({ workDir: "work", bundles: [{ path: "foreign" }] });
    const house = await openHouse(cli);
    const apps = (await askRest(house, "/v1/apps")).json.apps as { name: string; source: string; refusal?: object }[];
    expect(apps).toMatchObject([
      { name: "bash", source: "built-in" },
      {
        name: "bash-2",
        status: "refused",
        refusal: { code: "name_taken", message: expect.stringMatching(/built-in bash.*\/bundles\/0/) },
      },
    ]);
    await closeHouse(house);
  });

  it("bash keeps its name, since rules go by it", async () => {
    cli.configure({ workDir: "work", bundles: [{ name: "@nimblebraininc/bash", serverName: "shell" }] });
    const house = await openHouse(cli);
    expect(await appsOf(house)).toMatchObject([{ name: "shell", status: "refused" }]);
    expect(await callOverRest(house, "shell__exec")).toBe("unavailable");
    expect(shells()).toEqual([]);
    await closeHouse(house);
  });
});

it("a program that calls it is refused like everybody", async () => {
  cli = createCli();
  const host = await createHost({ workDir: cli.workDir, bundles: [] });
  try {
    await host.start();
    const marker = join(cli.dir, "marker");
    const answer = await host.call("bash__exec", { command: `touch ${marker}` });
    expect(answer).toMatchObject({ ending: { kind: "refusal", refusal: { kind: "escalation_required" } } });
    expect([existsSync(marker), shells()]).toEqual([false, []]);
  } finally {
    await host.stop();
    await cli.clean();
  }
});
