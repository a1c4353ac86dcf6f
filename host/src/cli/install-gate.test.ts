/** The install gate from the terminal and over signals: what requires too much leaves no mark of a process anywhere. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createCli, type Cli, type Serving } from "./cli-for-tests.ts";

const SERVER = fileURLToPath(new URL("../../test/fixtures/steered-server.mjs", import.meta.url));
const NEEDS = { host_version: "1.1", host_capabilities: { "com.example/none": { required: true } } };

let cli: Cli;
beforeEach(() => {
  cli = createCli();
  writeBundle("fine");
  writeBundle("needy", { _meta: { "ai.nimblebrain/host": NEEDS } });
});
afterEach(() => cli.clean());

const writeBundle = (name: string, more: object = {}): void => {
  const env = { STEERED_MARK: join(cli.dir, `${name}.marks`) };
  const server = { type: "node", entry_point: "s.mjs", mcp_config: { command: "node", args: [SERVER], env } };
  const about = { manifest_version: "0.3", name, version: "1.0.0", description: "a", author: { name: "tests" } };
  mkdirSync(join(cli.dir, name), { recursive: true });
  writeFileSync(join(cli.dir, name, "manifest.json"), JSON.stringify({ ...about, server, ...more }));
};
const configure = (bundles: readonly object[], more: object = {}): void =>
  cli.configure({ workDir: "work", noDefaultBundles: true, bundles, ...more });
const configText = (): string => readFileSync(join(cli.dir, "bailiwick.json"), "utf8");
const wasStarted = (name: string): boolean => existsSync(join(cli.dir, `${name}.marks`));

const serve = async (): Promise<Serving> => {
  const host = cli.start(["serve", "--port", "0", "--json"]);
  await host.says(/"name":"fine","state":"running"/);
  return host;
};

describe.each(["with a running host", "without one"])("bundle add %s", (how) => {
  it("of one that requires what the host has not starts nothing and writes nothing", async () => {
    configure([{ path: "fine" }]);
    if (how === "with a running host") await serve();
    const before = configText();
    const { code, out, err } = await cli.run(["bundle", "add", "--path", "needy", "--json"]);
    expect(code).toBe(3);
    expect(err).toMatch(/needy requires the host extension com\.example\/none.* Provided: .*\. Refusing to install\./);
    expect(JSON.parse(out)).toMatchObject({
      error: "install_refused",
      data: {
        bundle: "needy",
        reason: "capability-unavailable",
        missing: ["com.example/none"],
        provided: ["ai.nimblebrain/host-resources"],
        errors: [],
      },
    });
    expect(configText()).toBe(before);
    expect(wasStarted("needy")).toBe(false);
    expect((await cli.run(["evidence", "tail", "-n", "100", "--json"])).out).toContain("bundle_install_refused");
  });
});

describe("a hang-up of a host that serves", () => {
  it("brings what was added, starts nothing that the gate refuses, and survives a file that is wrong", async () => {
    configure([{ path: "fine" }]);
    const host = await serve();
    configure([{ path: "fine" }, { path: "needy" }], { http: { port: 1 } });
    host.signal("SIGHUP");
    await host.says(/"event":"reloaded".*"needRestart":\["http"\]/);
    await host.says(/"name":"needy","state":"refused"/);
    cli.configure("{");
    host.signal("SIGHUP");
    await host.says('"event":"rejected"');
    configure([{ path: "fine" }, { path: "needy" }]);
    await cli.run(["bundle", "start", "needy"]);
    expect((await cli.run(["bundle", "list", "--json"])).out).toMatch(/"name": ?"needy".*?"status": ?"refused"/s);
    expect(wasStarted("needy")).toBe(false);
    expect(wasStarted("fine")).toBe(true);
    host.signal("SIGTERM");
    expect(await host.exited).toBe(0);
  });
});
