/** One host over every server of the matrix: those from npm, one of the modern SDK on each wire, our fixture in both eras. */
import { spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { startServer } from "./real-parts-for-tests.ts";
import { FIXTURES, serve, type Served } from "./serve-for-tests.ts";

/** Where the filesystem server may read; holds `note.txt` while the host runs. */
export const FILES = mkdtempSync(join(tmpdir(), "bailiwick-matrix-"));

const require = createRequire(import.meta.url);
const serverOf = (name: string): string =>
  join(dirname(require.resolve(`@modelcontextprotocol/server-${name}/package.json`)), "dist", "index.js");

const MODERN = join(FIXTURES, "real-modern.mjs");
const fixture = (era: string): { args: string[] } => ({
  args: [join(FIXTURES, "conformance", "server.mjs"), "--era", era, "--transport", "stdio"],
});

export const serveMatrix = async (): Promise<Served> => {
  writeFileSync(join(FILES, "note.txt"), "written before");
  const started: ChildProcess[] = [];
  const clear = (): void => {
    for (const child of started) child.kill("SIGKILL");
    rmSync(FILES, { recursive: true, force: true });
  };
  try {
    const modern = await startServer([MODERN, "http", "remote"]);
    started.push(modern.process);
    const everything = await startEverything(started);
    const served = await serve({
      bundles: {
        everything: { args: [serverOf("everything"), "stdio"] },
        filesystem: { args: [serverOf("filesystem"), FILES] },
        memory: { args: [serverOf("memory")], env: { MEMORY_FILE_PATH: join(FILES, "memory.jsonl") } },
        thinking: { args: [serverOf("sequential-thinking")], env: { DISABLE_THOUGHT_LOGGING: "true" } },
        "modern-stdio": { args: [MODERN, "stdio", "piped"] },
        "fixture-legacy": fixture("legacy"),
        "fixture-modern": fixture("modern"),
      },
      remotes: { "modern-http": modern.url, "everything-http": everything },
    });
    return { ...served, stop: () => served.stop().finally(clear) };
  } catch (error) {
    clear();
    throw error;
  }
};

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const probe = createServer().on("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => resolve(port));
    });
  });

/** It takes its port from the environment only, and says on stderr that it listens. */
const startEverything = async (started: ChildProcess[]): Promise<string> => {
  const port = await freePort();
  const env = { ...process.env, PORT: String(port) };
  const child = spawn(process.execPath, [serverOf("everything"), "streamableHttp"], {
    env,
    stdio: ["ignore", "ignore", "pipe"],
  });
  started.push(child);
  process.once("exit", () => child.kill("SIGKILL"));
  const stderr = child.stderr as NodeJS.ReadableStream;
  for await (const line of createInterface({ input: stderr })) {
    if (!line.includes("listening")) continue;
    stderr.resume();
    return `http://127.0.0.1:${port}/mcp`;
  }
  throw new Error("server-everything ended before it listened");
};
