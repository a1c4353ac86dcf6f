/** The built-in bash bundle on every door: listed, behind a person's yes for each exact command, and a process only then. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createHost } from "../assembly/open-host.ts";
import { createCli, type Cli } from "./cli-for-tests.ts";
import { askRest, closeHouse, openDoors, openHouse, type House, type RestAnswer } from "./doors-for-tests.ts";

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

const callOverRest = (house: Pick<House, "origin" | "key">, tool: string, command = "true"): Promise<RestAnswer> =>
  askRest(house, "/v1/tools/call", { method: "POST", body: { name: tool, arguments: { command } } });

interface Waiting {
  readonly id: string;
  readonly requested_by: string;
  readonly arguments: { readonly command: string };
}

/** The approval that waits for exactly this command, as the owner sees it. */
const waitingFor = async (house: House, command: string): Promise<Waiting> => {
  let found: Waiting | undefined;
  await vi.waitUntil(
    async () => {
      const { approvals } = (await askRest(house, "/v1/approvals?state=pending")).json as { approvals: Waiting[] };
      found = approvals.find(({ arguments: asked }) => asked.command === command);
      return found;
    },
    { timeout: 30_000, interval: 50 },
  );
  return found as Waiting;
};

const approve = (house: House, id: string): Promise<RestAnswer> =>
  askRest(house, `/v1/approvals/${id}`, { method: "POST", body: { decision: "approve" } });

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

  it("bash is shown as what comes with the host, with its state", async () => {
    expect(await appsOf(house)).toMatchObject([{ name: "bash", source: "built-in", status: "running", toolCount: 1 }]);
    const { out } = await cli.run(["bundle", "status", "bash", "--json"]);
    expect(JSON.parse(out)).toMatchObject({ bundles: [{ name: "bash", health: "ok", sandbox: "off" }] });
    expect((await cli.run(["bundle", "inspect", "bash"])).out).toMatch(/from +built-in/);
    expect(shells()).toEqual([]);
  });

  it("a program's command waits for a person on every MCP door, and runs once it has a yes", async () => {
    const doors = (await openDoors(house)).filter(({ name }) => name.startsWith("MCP"));
    expect(doors).toHaveLength(4);
    for (const [i, door] of doors.entries()) {
      const marker = join(cli.dir, `marker-${i}`);
      const command = `echo ran >> ${marker}`;
      expect([door.name, await door.listed()]).toEqual([door.name, expect.stringContaining("bash__exec")]);
      const called = door.call("bash__exec", { command });
      const { id, requested_by: by } = await waitingFor(house, command);
      expect([by, existsSync(marker)]).toEqual([expect.stringMatching(/^agent:/), false]);
      if (i === 0) expect(shells()).toEqual([]);
      expect((await approve(house, id)).status).toBe(200);
      expect([door.name, await called]).toMatchObject([door.name, { refused: null }]);
      expect(readFileSync(marker, "utf8")).toBe("ran\n");
      await door.close();
    }
  });

  it("on its own endpoint, under its bare name, it waits and runs like that too", async () => {
    const headers = {
      authorization: `Bearer ${house.key}`,
      accept: "application/json, text/event-stream",
      "content-type": "application/json",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": "exec",
    };
    const _meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientInfo": { name: "tests", version: "1.0.0" },
      "io.modelcontextprotocol/clientCapabilities": {},
    };
    const params = { name: "exec", arguments: { command: "echo bare" }, _meta };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
    const said = fetch(`${house.origin}/mcp/providers/bash`, { method: "POST", headers, body });
    await approve(house, (await waitingFor(house, "echo bare")).id);
    expect(await (await said).text()).toContain("bare\\n");
  });

  it("over REST an agent hears what waits, and a yes is for one exact command, once", async () => {
    const made = await cli.run(["key", "create", "--name", "planner", "--json"]);
    const agent = { origin: house.origin, key: (JSON.parse(made.out) as { secret: string }).secret };
    const marker = join(cli.dir, "marker-rest");
    const command = `echo ran >> ${marker}`;
    const waiting = await callOverRest(agent, "bash__exec", command);
    expect(waiting).toMatchObject({ status: 202, json: { error: "approval_pending" } });
    const { approvalId: id } = waiting.json as { approvalId: string };
    const seen = await cli.run(["approve", id, "yes"]);
    expect([seen.code, seen.out]).toEqual([0, expect.stringContaining(command)]);
    expect(await callOverRest(agent, "bash__exec", `${command} `)).toMatchObject({ status: 202 });
    expect(await callOverRest(agent, "bash__exec", command)).toMatchObject({ status: 200 });
    const again = await callOverRest(agent, "bash__exec", command);
    expect([again.status, again.json.approvalId === id]).toEqual([202, false]);
    expect(readFileSync(marker, "utf8")).toBe("ran\n");
  });

  it("a command that was denied never runs", async () => {
    const doors = await openDoors(house);
    const marker = join(cli.dir, "marker-denied");
    const called = doors[0]!.call("bash__exec", { command: `touch ${marker}` });
    const { id } = await waitingFor(house, `touch ${marker}`);
    expect((await cli.run(["approve", id, "no", "--reason", "not here"])).code).toBe(0);
    expect(await called).toMatchObject({ refused: "approval_denied", text: expect.stringContaining("not here") });
    expect(existsSync(marker)).toBe(false);
    await Promise.all(doors.map((door) => door.close()));
  });

  it("a person's own command runs at once: over REST and at the terminal", async () => {
    expect((await callOverRest(house, "bash__exec", "echo rest")).json.structuredContent).toMatchObject({
      stdout: "rest\n",
    });
    const { code, out } = await cli.run(["call", "bash__exec", '{"command":"echo terminal"}']);
    expect([code, out]).toEqual([0, expect.stringContaining("terminal")]);
    const { out: log } = await cli.run(["evidence", "tail", "-n", "1000"]);
    expect(log.match(/ started +bash__exec /g)).toHaveLength(8);
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
    expect(await callOverRest(house, "bash__exec")).toMatchObject({ status: 200 });
    expect(shells()).toHaveLength(1);
    expect((await cli.run(["bundle", "remove", "bash"])).code).toBe(0);
    expect(await appsOf(house)).toEqual([]);
    await vi.waitUntil(() => shells().length === 0, { timeout: 10_000 });
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
    expect((await callOverRest(house, "shell__exec")).json.error).toBe("unavailable");
    expect(shells()).toEqual([]);
    await closeHouse(house);
  });
});

it("a program that calls it for an agent waits like everybody's", async () => {
  cli = createCli();
  const host = await createHost({ workDir: cli.workDir, bundles: [] });
  try {
    await host.start();
    const marker = join(cli.dir, "marker");
    const call = () => host.call("bash__exec", { command: `touch ${marker}` }, { principal: "agent:planner" });
    expect(await call()).toMatchObject({ ending: { kind: "refusal", refusal: { kind: "approval_pending" } } });
    expect([existsSync(marker), shells()]).toEqual([false, []]);
    const [waiting] = await host.approvals.list("pending");
    await host.approvals.decide(waiting?.id ?? "", { approve: true });
    expect(await call()).toMatchObject({ ending: { kind: "result", isError: false } });
    expect(existsSync(marker)).toBe(true);
  } finally {
    await host.stop();
    await cli.clean();
  }
});
