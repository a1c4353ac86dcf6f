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
  chpUrls: ["http://127.0.0.1:7420/chp"],
  noAuth: false,
  loopback: true,
  keyFile: "/home/me/.bailiwick/owner.key",
  key: null,
  workDir: "/home/me/.bailiwick",
  configFile: "/home/me/bailiwick.json",
  configPlace: "/home/me/bailiwick.json",
  configured: ["files", "memory"],
  builtIn: ["bash"],
  pendingApprovals: 0,
};

const block = (change: Partial<ServeFacts> = {}): string => serveBlock({ ...facts, ...change }, paint).join("\n");

describe("what serve prints", () => {
  it("names the endpoint, where the key is, how to connect and what is starting, without the key itself", () => {
    expect(block()).toBe(`Bailiwick 1.2.3 is listening, on this machine only.

  MCP endpoint    http://127.0.0.1:7420/mcp
  REST            http://127.0.0.1:7420/v1/tools
  CHP             http://127.0.0.1:7420/chp
  Chat            bailiwick chat, in another terminal
  Key             in /home/me/.bailiwick/owner.key
  Work directory  /home/me/.bailiwick
  Configuration   /home/me/bailiwick.json

Connect an MCP client: give it the MCP endpoint as URL (Streamable HTTP) and the header
  Authorization: Bearer <the key>
For example
  claude mcp add --transport http bailiwick http://127.0.0.1:7420/mcp --header "Authorization: Bearer $(cat /home/me/.bailiwick/owner.key)"
  curl -H "Authorization: Bearer $(cat /home/me/.bailiwick/owner.key)" http://127.0.0.1:7420/v1/tools

Starting 3 bundles: bash, files, memory
Ctrl-C stops it.`);
  });

  it("shows a new key once", () => {
    expect(block({ key: "bw_owner_x" })).toContain("bw_owner_x  (shown this once; it is kept in");
  });

  it("says how to add a first bundle", () => {
    const text = block({ configured: [], configFile: null });
    expect(text).toContain("Starting 1 bundle: bash\nNo bundle is configured yet.");
    expect(block({ configured: [], builtIn: [] })).not.toContain("Starting");
    expect(text).toContain("it is written to /home/me/bailiwick.json");
    expect(text).toContain("\n  bailiwick bundle add --path /");
    expect(text).toContain("\n  bailiwick bundle add --url https://example.com/mcp --name example\n");
  });

  it("says how many calls wait for a person, when there are any", () => {
    expect(block({ pendingApprovals: 1 })).toContain(
      "\n1 call waits for a person's approval. See and decide: bailiwick approve\n",
    );
    expect(block({ pendingApprovals: 2 })).toContain("\n2 calls wait for a person's approval.");
    expect(block()).not.toContain("approval");
  });

  it("names both addresses of CHP when it has one of its own", () => {
    const chpUrls = ["http://127.0.0.1:7420/chp", "http://127.0.0.1:8899"];
    expect(block({ chpUrls })).toMatch(/^ {2}CHP +http:\/\/127\.0\.0\.1:7420\/chp, http:\/\/127\.0\.0\.1:8899$/m);
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
