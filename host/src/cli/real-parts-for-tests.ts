/** One host over servers that others wrote: three from npm, and two of the modern era, one on a pipe and one over HTTP. */
import { spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { FIXTURES, serve, type Served } from "./serve-for-tests.ts";

export interface RealParts extends Served {
  /** Where the filesystem server may read; holds `note.txt`. */
  readonly files: string;
}

const require = createRequire(import.meta.url);
/** The program of a server from npm. */
export const serverOf = (name: string): string =>
  join(dirname(require.resolve(`@modelcontextprotocol/server-${name}/package.json`)), "dist", "index.js");

const MODERN = join(FIXTURES, "real-modern.mjs");

export const serveRealParts = async (): Promise<RealParts> => {
  const files = mkdtempSync(join(tmpdir(), "bailiwick-files-"));
  writeFileSync(join(files, "note.txt"), "written before");
  const remote = await startServer([MODERN, "http", "remote"]);
  const clear = (): void => {
    remote.process.kill("SIGKILL");
    rmSync(files, { recursive: true, force: true });
  };
  try {
    const served = await serve({
      bundles: {
        everything: { args: [serverOf("everything"), "stdio"] },
        filesystem: { args: [serverOf("filesystem"), files] },
        memory: { args: [serverOf("memory")], env: { MEMORY_FILE_PATH: join(files, "memory.jsonl") } },
        "modern-stdio": { args: [MODERN, "stdio", "piped"] },
      },
      remotes: { "modern-http": remote.url },
    });
    return { ...served, files, stop: () => served.stop().finally(clear) };
  } catch (error) {
    clear();
    throw error;
  }
};

export interface StartedServer {
  readonly process: ChildProcess;
  readonly url: string;
}

/** A server that prints its port as the first line. */
export const startServer = async (args: readonly string[]): Promise<StartedServer> => {
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  process.once("exit", () => child.kill("SIGKILL"));
  for await (const line of createInterface({ input: child.stdout })) {
    return { process: child, url: `http://127.0.0.1:${line}/mcp` };
  }
  throw new Error(`${args.join(" ")} ended before it listened`);
};
