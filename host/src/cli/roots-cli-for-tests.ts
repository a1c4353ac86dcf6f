/** The program as processes, in a directory of its own, with a bundle that works on files and a project folder elsewhere. */
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import type { Root } from "@modelcontextprotocol/sdk/types.js";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { rootedSdk, type RootedSdk } from "../assembly/roots-place-for-tests.ts";
import { createCli, type Cli } from "./cli-for-tests.ts";

const MAIN = fileURLToPath(new URL("./main.ts", import.meta.url));
const SERVER = fileURLToPath(new URL("../../test/fixtures/rooted-server.mjs", import.meta.url));

export interface RootedCli extends Cli {
  /** Of a person, outside of the home and of the host's directory. */
  readonly project: string;
  write(roots?: object): void;
}

export const makeRootedCli = (roots?: object): RootedCli => {
  const cli = createCli();
  const project = realpathSync(mkdtempSync(join(tmpdir(), "bailiwick-project-")));
  onTestFinished(async () => {
    await cli.clean();
    rmSync(project, { recursive: true, force: true });
  });
  mkdirSync(join(cli.dir, "ops"));
  const mcp_config = { command: "node", args: [SERVER], env: { ROOTED_LOG: join(cli.dir, "rooted.log") } };
  const manifest = {
    manifest_version: "0.3",
    name: "ops",
    version: "1.0.0",
    description: "Works on files.",
    author: { name: "tests" },
    server: { type: "node", entry_point: SERVER, mcp_config },
  };
  writeFileSync(join(cli.dir, "ops", "manifest.json"), JSON.stringify(manifest));
  const write: RootedCli["write"] = (given = {}) =>
    cli.configure({
      workDir: "work",
      noDefaultBundles: true,
      bundles: [{ path: "ops" }],
      capabilities: { declared: ["filesystem.read"], roots: given },
    });
  write(roots);
  return { ...cli, project, write };
};

/** `bailiwick mcp`, started by the protocol's own client of the first kind, with these roots. */
export const connectStdio = async ({ dir }: Cli, ...listed: readonly Root[]): Promise<RootedSdk> => {
  const sdk = rootedSdk(...listed);
  const env = { PATH: process.env["PATH"] ?? "", HOME: dir };
  const args = [MAIN, "mcp"];
  await sdk.client.connect(
    new StdioClientTransport({ command: process.execPath, args, cwd: dir, env, stderr: "ignore" }),
  );
  return sdk;
};
