import { existsSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createCli, DEMO, type Cli } from "./cli-for-tests.ts";

let cli: Cli;
beforeEach(() => {
  cli = createCli();
  cli.configure(DEMO);
});
afterEach(() => cli.clean());

const announcement = (): { pid: number; origin: string } =>
  JSON.parse(readFileSync(join(cli.workDir, "run", "host.json"), "utf8")) as { pid: number; origin: string };

describe("bailiwick serve", () => {
  it("prints one block, tells of its bundles, and on SIGTERM ends with exit code 0 and nothing left", async () => {
    const host = cli.start(["serve", "--port", "0"]);
    await host.says("Ready: 1 bundle, 39 tools.");
    expect((await cli.run(["tools", "--json"])).out.match(/"name":/g)).toHaveLength(39);
    expect(host.out()).not.toMatch(/^ +(files|skills) /m);
    expect(host.out()).toMatch(/^Bailiwick \d+\.\d+\.\d+ is listening, on this machine only\./);
    expect(host.out()).toContain(`Key             in ${cli.workDir}/owner.key`);
    expect(host.out()).not.toContain("bw_owner_");
    expect(announcement()).toMatchObject({ pid: host.pid });
    expect(statSync(join(cli.workDir, "run", "host.json")).mode & 0o777).toBe(0o600);
    host.signal("SIGTERM");
    expect(await host.exited).toBe(0);
    expect(host.out()).toMatch(/Stopping …\nStopped\.\n$/);
    expect(existsSync(join(cli.workDir, "run", "host.json"))).toBe(false);
  });

  it("has a shell without being told, and shows it among its bundles", async () => {
    cli.configure({ ...DEMO, noDefaultBundles: false });
    const host = cli.start(["serve", "--port", "0"]);
    await host.says("Ready: 2 bundles, 40 tools.");
    expect(host.out()).toMatch(/^Starting 2 bundles: bash, /m);
    expect(host.out()).toMatch(/^ {2}bash +running +1 tool$/m);
  });

  it("counts what is to run, and says what waited for a person while it was away", async () => {
    const rule = { id: "ask", match: { tools: ["demo__echo"] }, effect: "require_approval" };
    const off = { path: "demo", serverName: "off", enabled: false };
    cli.configure({ ...DEMO, bundles: [{ path: "demo" }, off], policy: { rules: [rule] } });
    expect((await cli.run(["call", "demo__echo", '{"text":"x"}'])).code).toBe(4);
    const host = cli.start(["serve", "--port", "0"]);
    await host.says("Ready: 1 bundle, 39 tools, 1 switched off.");
    expect(host.out()).toMatch(/^Starting 1 bundle: /m);
    expect(host.out()).toContain("\n1 call waits for a person's approval. See and decide: bailiwick approve\n");
  });

  it("with --json writes one event a line: listening, provider, stopped", async () => {
    const host = cli.start(["serve", "--port", "0", "--json"]);
    await host.says('"state":"running"');
    host.signal("SIGINT");
    expect(await host.exited).toBe(0);
    const events = host
      .out()
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    const { origin } = events[0] as { origin: string };
    expect(events[0]).toEqual({
      event: "listening",
      origin,
      mcpUrl: `${origin}/mcp`,
      chpUrls: [`${origin}/chp`],
      keyFile: join(cli.workDir, "owner.key"),
      pid: host.pid,
    });
    expect(events).toContainEqual({ event: "provider", name: "demo", state: "running", tools: 7 });
    expect(events.at(-1)).toEqual({ event: "stopped" });
  });

  it("goes on with the others when one bundle cannot start, and says what to do about it", async () => {
    cli.configure({ ...DEMO, bundles: [{ path: "demo" }, { path: "gone", serverName: "gone" }] });
    const host = cli.start(["serve", "--port", "0"]);
    await host.says("1 of 2 bundles up, 39 tools.");
    expect(host.out()).toContain("There is nothing at");
    expect(host.out()).toContain("→ Correct the entry's path");
  });

  it("tells of a bundle that dies and of its return", async () => {
    const host = cli.start(["serve", "--port", "0", "--json"]);
    await host.says('"state":"running"');
    const call = await cli.run(["call", "demo__die"]);
    expect(call.code).toBe(5);
    await host.says(/"running"[^]*"running"/);
  });

  it("refuses --no-auth on an address that others reach, and warns of it on loopback", async () => {
    const refused = await cli.run(["serve", "--no-auth", "--host", "0.0.0.0", "--port", "0"]);
    expect(refused.code).toBe(2);
    expect(refused.err).toContain("--no-auth works on loopback only");
    const host = cli.start(["serve", "--no-auth", "--port", "0"]);
    await host.says("Ready:");
    expect(host.err()).toContain("Warning: --no-auth: every program on this machine may call every tool.");
    expect((await fetch(`${announcement().origin}/v1/tools`)).status).toBe(200);
  });

  it("names a port that is taken, and the flag for another", async () => {
    const other = createServer();
    const port = await new Promise<number>((resolve) => {
      other.listen(0, "127.0.0.1", () => resolve((other.address() as { port: number }).port));
    });
    const { code, err } = await cli.run(["serve", "--port", String(port)]);
    other.close();
    expect(code).toBe(2);
    expect(err).toContain(
      `Port ${port} on 127.0.0.1 is in use by another program.\n→ Take another: bailiwick serve --port`,
    );
  });

  it("names a port of CHP's own that is taken, and the key for another", async () => {
    const other = createServer();
    const port = await new Promise<number>((resolve) => {
      other.listen(0, "127.0.0.1", () => resolve((other.address() as { port: number }).port));
    });
    cli.configure({ ...DEMO, chp: { listen: { host: "127.0.0.1", port } } });
    const { code, err } = await cli.run(["serve", "--port", "0"]);
    other.close();
    expect(code).toBe(2);
    expect(err).toContain(`Port ${port} on 127.0.0.1 is in use by another program.\n→ Take another for chp.listen`);
  });

  it("does not start twice in one work directory, and names the process that is there", async () => {
    const first = cli.start(["serve", "--port", "0"]);
    await first.says("Ready:");
    const second = await cli.run(["serve", "--port", "0"]);
    expect(second.code).toBe(2);
    expect(second.err).toContain(`process ${first.pid}, at ${announcement().origin}`);
  });

  it("does not start without a restriction that the file asks for and this version lacks", async () => {
    cli.configure({ ...DEMO, features: { mcpServer: false } });
    const { code, err } = await cli.run(["serve", "--port", "0"]);
    expect(code).toBe(2);
    expect(err).toContain("/features/mcpServer: not available yet");
  });

  it("answers a faulty configuration with exit code 2 and one line per error", async () => {
    cli.configure({ http: { port: "x" }, bundles: [{ name: "a", url: "https://b" }] });
    const { code, err, out } = await cli.run(["serve"]);
    expect(code).toBe(2);
    expect(out).toBe("");
    expect(err).toMatch(/bailiwick\.json cannot be used, \d errors:\n/);
    expect(err).toContain("/bundles/0: give exactly one of name, path, url (found name, url)");
    expect(err).toMatch(/^\/http\/port: /m);
  });

  it("ends at once on a second signal", async () => {
    const host = cli.start(["serve", "--port", "0"]);
    await host.says("Ready:");
    const call = cli.run(["call", "demo__wait"]);
    let tail = "";
    while (!tail.includes("demo__wait")) tail = (await cli.run(["evidence", "tail"])).out;
    host.signal("SIGINT");
    await host.says("Stopping …");
    host.signal("SIGINT");
    expect(await host.exited).toBe(130);
    expect((await call).code).toBe(5);
  });
});
