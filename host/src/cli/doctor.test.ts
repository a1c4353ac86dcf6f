import { chmodSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createCli, DEMO, type Cli } from "./cli-for-tests.ts";

let cli: Cli;
let port: number;
beforeEach(async () => {
  cli = createCli();
  const server = createServer();
  port = await new Promise<number>((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve((server.address() as { port: number }).port));
  });
  await new Promise((resolve) => {
    server.close(resolve);
  });
});
afterEach(() => cli.clean());

interface Report {
  readonly ok: boolean;
  readonly checks: readonly {
    readonly name: string;
    readonly state: string;
    readonly message: string;
    readonly fix: string | null;
  }[];
}

const examine = async (): Promise<Report & { code: number | null }> => {
  const { code, out } = await cli.run(["doctor", "--json"]);
  return { code, ...(JSON.parse(out) as Report) };
};

describe("bailiwick doctor", () => {
  it("finds nothing wrong before the first start, and changes nothing", async () => {
    cli.configure({ ...DEMO, http: { port } });
    const { code, out } = await cli.run(["doctor"]);
    expect(code).toBe(0);
    expect(out).toMatch(/All is well\.\n$/);
    expect(out).toContain(`${cli.workDir} is made at the first start`);
    expect((await cli.run(["doctor"])).out).toBe(out);
  });

  it("gives every warning and every failure a fix", async () => {
    cli.configure({
      workDir: "work",
      http: { port },
      maxDirectTool: 1,
      registries: [],
      logging: { level: "debug" },
      bundles: [
        { path: "gone", serverName: "gone" },
        { path: "demo", serverName: "needy", env: { API_TOKEN: "${env:NOT_SET_ANYWHERE}" } },
        { path: "demo", serverName: "open", env: { API_TOKEN: "plain-secret" } },
        { url: "http://example.com/mcp", serverName: "bare" },
        { name: "@acme/thing" },
      ],
    });
    const { code, ok, checks } = await examine();
    expect({ code, ok }).toEqual({ code: 1, ok: false });
    expect(checks.filter(({ state, fix }) => (state === "ok") !== (fix === null))).toEqual([]);
    const said = checks.map(({ name, state, message }) => `${state} ${name}: ${message}`).join("\n");
    expect(said).toContain('warn config: /maxDirectTool: unknown key, ignored; did you mean "maxDirectTools"?');
    expect(said).toContain("warn config: /logging/level: not available yet");
    expect(said).toContain("warn config: /bundles/2/env/API_TOKEN: a secret stands in the file itself.");
    expect(said).not.toContain("plain-secret");
    expect(said).toContain("fail bundle gone: There is nothing at");
    expect(said).toMatch(/fail bundle needy: .*NOT_SET_ANYWHERE is not set/);
    expect(said).toContain("fail bundle bare: http://example.com/mcp is not https.");
    expect(said).toContain("ok bundle @acme/thing: looked for in the registries");
    expect(said).toContain("ok bundle open:");
  });

  it("works with a configuration that cannot be read, and says where it is broken", async () => {
    cli.configure('{"bundles": [}');
    const { code, checks } = await examine();
    expect(code).toBe(1);
    expect(checks.find(({ name }) => name === "config")).toMatchObject({
      state: "fail",
      message: expect.stringMatching(/line 1/) as unknown,
    });
  });

  it("asks the running host how its bundles are, and sees files that are open to others", async () => {
    cli.configure({ ...DEMO, http: { port } });
    const host = cli.start(["serve"]);
    await host.says("Ready:");
    chmodSync(join(cli.workDir, "owner.key"), 0o644);
    const { code, checks } = await examine();
    expect(code).toBe(0);
    const said = checks.map(({ name, state, message }) => `${state} ${name}: ${message}`).join("\n");
    expect(said).toContain(`ok host: running as process ${host.pid} at http://127.0.0.1:${port}`);
    expect(said).toContain("ok bundle demo: running, 7 tools");
    expect(said).toMatch(/warn owner key: .*can be read by others \(mode 644\)/);
  });

  it("names a port that another program has", async () => {
    cli.configure({ ...DEMO, http: { port } });
    const other = createServer();
    await new Promise<void>((resolve) => {
      other.listen(port, "127.0.0.1", resolve);
    });
    const { code, checks } = await examine();
    other.close();
    expect(code).toBe(1);
    expect(checks.find(({ name }) => name === "host")?.message).toBe(`port ${port} is in use by another program.`);
  });
});
