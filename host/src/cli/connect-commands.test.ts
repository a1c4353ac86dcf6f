import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createCli, DEMO, type Cli, type Serving } from "./cli-for-tests.ts";

interface Entry {
  readonly url: string;
  readonly headers: { readonly Authorization: string };
}

let cli: Cli;
let host: Serving;
beforeAll(async () => {
  cli = createCli();
  cli.configure(DEMO);
  host = cli.start(["serve", "--port", "0"]);
  await host.says("Ready:");
  mkdirSync(join(cli.dir, ".cursor"));
});
afterAll(() => cli.clean());

const file = (path: string): string => join(cli.dir, path);
const servers = (path: string): Record<string, Entry> => {
  const { mcpServers } = JSON.parse(readFileSync(file(path), "utf8")) as { mcpServers: Record<string, Entry> };
  return mcpServers;
};
const statusWith = async ({ url, headers }: Entry): Promise<number> =>
  (await fetch(url.replace(/\/mcp$/, "/v1/tools"), { headers: { ...headers } })).status;
const keys = async (): Promise<string> => (await cli.run(["key", "list"])).out;

describe("connect", () => {
  const CURSOR = ".cursor/mcp.json";

  it("lists the clients and where their files are", async () => {
    const { code, out } = await cli.run(["connect"]);
    expect(code).toBe(0);
    expect(out).toContain(`${file(CURSOR)} (not there yet)`);
    const { clients } = JSON.parse((await cli.run(["connect", "--json"])).out) as { clients: { name: string }[] };
    expect(clients.map(({ name }) => name)).toContain("claude-desktop");
  });

  it("puts an entry with a key that works into the file, and keeps all else in it", async () => {
    writeFileSync(
      file(CURSOR),
      '{\n  "mcpServers": {\n    "a": {"command": "x"}\n  },\n  "n": 12345678901234567890\n}\n',
    );
    chmodSync(file(CURSOR), 0o644);
    const { code, out, err } = await cli.run(["connect", "cursor"]);
    expect([code, out]).toEqual([0, `Wrote "bailiwick" in ${file(CURSOR)}\n`]);
    expect(readFileSync(file(CURSOR), "utf8")).toContain('"a": {"command": "x"},\n    "bailiwick"');
    expect(readFileSync(file(CURSOR), "utf8")).toContain('"n": 12345678901234567890');
    expect(statSync(file(CURSOR)).mode & 0o777).toBe(0o600);
    const { bailiwick } = servers(CURSOR);
    expect(await statusWith(bailiwick!)).toBe(200);
    expect(`${out}${err}`).not.toContain(bailiwick!.headers.Authorization.slice(7));
    const [, backup = ""] = /^As it was: (.*)$/m.exec(err) ?? [];
    expect(readFileSync(backup, "utf8")).not.toContain("bailiwick");
    expect(err).toContain("Others could read the file; now only you can.");
    expect(err).toContain("after another start connect again");
    expect(await keys()).toMatch(/^cursor +active/m);
  });

  it("changes nothing the second time, and makes a new key where one is asked for", async () => {
    const before = readFileSync(file(CURSOR), "utf8");
    const again = await cli.run(["connect", "cursor"]);
    expect([again.code, again.out]).toEqual([0, expect.stringContaining("is connected already")]);
    expect(readFileSync(file(CURSOR), "utf8")).toBe(before);
    expect((await cli.run(["connect", "cursor", "--key-name", "desk"])).out).toContain("Replaced");
    expect(await statusWith(servers(CURSOR)["bailiwick"]!)).toBe(200);
    expect((await cli.run(["connect", "cursor", "--key-name", "desk"])).code).toBe(3);
    expect(await keys()).toMatch(/^desk +active/m);
  });

  it("never takes the name of a key that there is or was", async () => {
    await cli.run(["key", "create", "--name", "windsurf"]);
    const { err } = await cli.run(["connect", "windsurf"]);
    expect(err).toContain("bailiwick key revoke windsurf-2");
    expect(JSON.parse(readFileSync(file(".codeium/windsurf/mcp_config.json"), "utf8"))).toMatchObject({
      mcpServers: { bailiwick: { serverUrl: expect.stringMatching(/\/mcp$/) as unknown } },
    });
  });

  it("prints with a placeholder and leaves file and keys alone; with a name it makes the key it shows", async () => {
    const before = await keys();
    const { out, err } = await cli.run(["connect", "claude-code", "--print"]);
    expect(JSON.parse(out)).toMatchObject({
      mcpServers: { bailiwick: { type: "http", headers: { Authorization: "Bearer <the key>" } } },
    });
    expect(err).toContain("bailiwick key create --name claude-code");
    expect([existsSync(file(".claude.json")), await keys()]).toEqual([false, before]);
    const made = await cli.run(["connect", "generic", "--key-name", "shown"]);
    const { mcpServers } = JSON.parse(made.out) as { mcpServers: { bailiwick: Entry } };
    expect(await statusWith(mcpServers.bailiwick)).toBe(200);
    expect((await cli.run(["connect", "codex"])).out).toMatch(/^\[mcp_servers\.bailiwick\]\nurl = "http/);
  });

  it("gives a client that starts a process a command, and makes no key", async () => {
    const before = await keys();
    expect((await cli.run(["connect", "claude-desktop"])).code).toBe(0);
    const entry = servers(".config/Claude/claude_desktop_config.json")["bailiwick"] as unknown;
    expect(entry).toEqual({
      command: process.execPath,
      args: [expect.stringMatching(/main\.ts$/), "mcp", "--config", file("bailiwick.json")],
    });
    expect(await keys()).toBe(before);
  });

  it.each([
    ["comments", '{"mcpServers": {} // mine\n}', "not plain JSON"],
    ["another shape", '{"mcpServers": []}', "is no object"],
  ])("leaves a file with %s as it is, and makes no key", async (_, text, told) => {
    const before = await keys();
    writeFileSync(file(".claude.json"), text);
    const { code, out, err } = await cli.run(["connect", "claude-code"]);
    expect([code, err.includes(told)]).toEqual([3, true]);
    expect(JSON.parse(out)).toMatchObject({ mcpServers: { bailiwick: { type: "http" } } });
    expect(readFileSync(file(".claude.json"), "utf8")).toBe(text);
    expect(await keys()).toBe(before);
  });

  it("ends the key again where the file cannot be written", async () => {
    writeFileSync(file(".config/Code"), "");
    const before = (await keys()).match(/ active /g)?.length;
    const { code, err } = await cli.run(["connect", "vscode"]);
    rmSync(file(".config/Code"));
    expect([code, err.includes("could not be written")]).toEqual([3, true]);
    expect((await keys()).match(/ active /g)?.length).toBe(before);
    expect(await keys()).toMatch(/^vscode +revoked/m);
  });

  it("goes through a link to the file that it leads to", async () => {
    mkdirSync(file("dotfiles"));
    mkdirSync(file(".config/Code/User"), { recursive: true });
    writeFileSync(file("dotfiles/mcp.json"), "{}");
    symlinkSync(file("dotfiles/mcp.json"), file(".config/Code/User/mcp.json"));
    await cli.run(["connect", "vscode"]);
    expect(JSON.parse(readFileSync(file("dotfiles/mcp.json"), "utf8"))).toMatchObject({
      servers: { bailiwick: { type: "http" } },
    });
    expect(readdirSync(file(".config/Code/User"))).toEqual(["mcp.json"]);
  });

  it("knows what was meant by a misspelt client", async () => {
    const { code, err } = await cli.run(["connect", "cursr"]);
    expect([code, err.includes('Did you mean "cursor"?')]).toEqual([2, true]);
  });
});

it("connect without a running host takes the address of the configuration, unless that says none", async () => {
  const alone = createCli();
  alone.configure({ ...DEMO, http: { port: 7999 } });
  const { code, out, err } = await alone.run(["connect", "cursor", "--json"]);
  expect([code, JSON.parse(out)]).toMatchObject([
    0,
    { url: "http://127.0.0.1:7999/mcp", key: "cursor", written: true },
  ]);
  expect(err).toBe("");
  expect((await alone.run(["key", "list"])).out).toMatch(/^cursor +active/m);
  alone.configure({ ...DEMO, http: { port: 0 } });
  expect((await alone.run(["connect", "vscode"])).code).toBe(2);
  expect((await alone.run(["connect", "claude-desktop"])).code).toBe(0);
  await alone.clean();
});
