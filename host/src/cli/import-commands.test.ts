import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createCli, type Cli, type Serving } from "./cli-for-tests.ts";

const SERVER = fileURLToPath(new URL("../../test/fixtures/cli-server.mjs", import.meta.url));

let cli: Cli;
let host: Serving;
beforeAll(async () => {
  cli = createCli();
  cli.configure({ workDir: "work", noDefaultBundles: true });
  mkdirSync(join(cli.dir, ".cursor"));
  const mcpServers = {
    Demo: { command: "node", args: [SERVER, "--path=${PATH}"], env: { LEVEL: "info" } },
    github: { command: "npx", args: ["-y", "x"], env: { GITHUB_TOKEN: "ghp_secret\u001B[2J" }, disabled: true },
    "odd\u001B[2J": 5,
  };
  writeFileSync(join(cli.dir, ".cursor", "mcp.json"), JSON.stringify({ mcpServers }));
});
afterAll(() => cli.clean());

describe("import", () => {
  it("shows the plan and changes nothing", async () => {
    const before = readFileSync(join(cli.dir, "bailiwick.json"), "utf8");
    const { code, out, err } = await cli.run(["import", "~/.cursor/mcp.json"]);
    expect(code).toBe(0);
    expect(out).toMatch(/^add +bundle +Demo as demo$/m);
    expect(out).toContain(`\n    runs node ${SERVER} --path=\${env:PATH}\n`);
    expect(out).toMatch(/^skip +bundle +odd\\u\{1b\}\[2J +it is no object/m);
    expect(err).toContain("  GITHUB_TOKEN  for github: env GITHUB_TOKEN in ");
    expect(err).toContain("Nothing was changed yet. Do it: bailiwick import '~/.cursor/mcp.json' --apply");
    expect(`${out}${err}`).not.toContain("ghp_secret");
    expect(readFileSync(join(cli.dir, "bailiwick.json"), "utf8")).toBe(before);
  });

  it("does it while a host runs, which takes it over by itself; the imported command answers", async () => {
    host = cli.start(["serve", "--port", "0"]);
    await host.says("Ctrl-C stops it.");
    const { code, out, err } = await cli.run(["import", ".cursor/mcp.json", "--apply"]);
    expect([code, out.match(/^added/gm)?.length]).toEqual([0, 2]);
    expect(err).toMatch(/bailiwick\.json is changed; as it was: .*\.bak$/m);
    expect(err).toContain("The running host takes it over by itself.");
    expect(err).toContain("Only its owner may read it from now on.");
    expect(statSync(join(cli.dir, "bailiwick.json")).mode & 0o777).toBe(0o600);
    await host.says("demo");
    await cli.run(["reload"]);
    expect((await cli.run(["call", "demo__echo", '{"text":"taken over"}'])).out).toBe("taken over\n");
    expect(readFileSync(join(cli.dir, "bailiwick.json"), "utf8")).not.toContain("ghp_secret");
  });

  it("finds all of it there the second time, also as JSON", async () => {
    const { out, err } = await cli.run(["import", ".cursor/mcp.json", "--apply"]);
    expect(out).toMatch(/^there already +bundle +Demo as demo$/m);
    expect(err).toContain("Nothing is left to add.");
    const json = JSON.parse((await cli.run(["import", ".cursor/mcp.json", "--json"])).out) as Record<string, unknown>;
    expect(json).toMatchObject({ kind: "client", applied: false, hostRunning: true, workspace: "ws_default" });
    expect(json["steps"]).toMatchObject([{ action: "there" }, { action: "there" }, { action: "skip" }]);
  });

  it("refuses what it cannot read, and another workspace that there is not", async () => {
    const refused = await cli.run(["import", "nowhere"]);
    expect([refused.code, refused.err.includes("→ Give the directory of NimbleBrain")]).toEqual([3, true]);
    expect((await cli.run(["import", ".cursor/mcp.json", "--workspace", "ws_none"])).code).toBe(3);
    expect((await cli.run(["import"])).code).toBe(2);
  });
});
