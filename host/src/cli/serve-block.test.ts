import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { serveBlock, type ServeFacts } from "./serve-block.ts";
import { createTerminal } from "./terminal.ts";

const { paint } = createTerminal({ stdout: { write: () => true }, stderr: { write: () => true }, env: {} });

const facts: ServeFacts = {
  version: "1.2.3",
  origin: "http://127.0.0.1:7420",
  mcpUrl: "http://127.0.0.1:7420/mcp",
  noAuth: false,
  loopback: true,
  keyFile: "/home/me/.bailiwick/owner.key",
  key: null,
  workDir: "/home/me/.bailiwick",
  configFile: "/home/me/bailiwick.json",
  configPlace: "/home/me/bailiwick.json",
  bundles: ["files", "memory"],
};

const block = (change: Partial<ServeFacts> = {}): string => serveBlock({ ...facts, ...change }, paint).join("\n");

describe("what serve prints", () => {
  it("names the endpoint, where the key is, how to connect and what is starting, without the key itself", () => {
    expect(block()).toBe(`Bailiwick 1.2.3 is listening, on this machine only.

  MCP endpoint    http://127.0.0.1:7420/mcp
  REST            http://127.0.0.1:7420/v1/tools
  Key             in /home/me/.bailiwick/owner.key
  Work directory  /home/me/.bailiwick
  Configuration   /home/me/bailiwick.json

Connect an MCP client: give it the MCP endpoint as URL (Streamable HTTP) and the header
  Authorization: Bearer <the key>
For example
  claude mcp add --transport http bailiwick http://127.0.0.1:7420/mcp --header "Authorization: Bearer $(cat /home/me/.bailiwick/owner.key)"
  curl -H "Authorization: Bearer $(cat /home/me/.bailiwick/owner.key)" http://127.0.0.1:7420/v1/tools

Starting 2 bundles: files, memory
Ctrl-C stops it.`);
  });

  it("shows a new key once", () => {
    expect(block({ key: "bw_owner_x" })).toContain("bw_owner_x  (shown this once; it is kept in");
  });

  it("says how to add a first bundle", () => {
    const text = block({ bundles: [], configFile: null });
    expect(text).toContain("it is written to /home/me/bailiwick.json");
    expect(text).toContain("\n  bailiwick bundle add --path /");
    expect(text).toContain("\n  bailiwick bundle add --url https://example.com/mcp --name example\n");
  });

  it("mentions no key with --no-auth, and other machines where they can reach it", () => {
    expect(block({ noAuth: true })).not.toContain("Authorization");
    expect(block({ loopback: false })).toContain("other machines may reach it");
  });

  it("prints a header that a shell reads right, even from an odd directory", () => {
    const dir = mkdtempSync(join(tmpdir(), "bailiwick it's $odd "));
    const keyFile = join(dir, "owner.key");
    writeFileSync(keyFile, "bw_owner_secret\n");
    const line = block({ keyFile })
      .split("\n")
      .find((each) => each.trimStart().startsWith("curl"));
    const said = execFileSync("/bin/sh", ["-c", (line ?? "").replace("curl", "printf '%s|'")], { encoding: "utf8" });
    rmSync(dir, { recursive: true, force: true });
    expect(said).toContain("-H|Authorization: Bearer bw_owner_secret|http://");
  });
});
