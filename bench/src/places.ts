/**
 * Where things are. The bench runs as it is written (`src/*.ts`) and built (`dist/*.js`).
 */
import { existsSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));

export const ROOT = join(here, "..", "..");
/** Everything the bench writes apart from its report; ignored by git, on the disk of the working tree. */
export const SCRATCH = join(ROOT, ".bench");
/** What a user runs, and the same before it was bundled, in which a profile can tell the rooms apart. */
export const HOST_COMMAND = join(ROOT, "host", "bin", "bailiwick");
export const HOST_MODULES = join(ROOT, "host", "dist", "cli", "main.js");
export const REPORT = join(ROOT, "docs", "benchmarks.md");

/** The file of one of the bench's own programs. */
export const program = (name: string): string => join(here, name + (import.meta.url.endsWith(".ts") ? ".ts" : ".js"));

/** The file of a program of an installed package. */
export const installed = (path: string): string => {
  const file = [ROOT, join(ROOT, "bench")].map((base) => join(base, "node_modules", path)).find(existsSync);
  if (file === undefined) throw new Error(`${path} is not installed; run npm ci`);
  return file;
};

/** A loopback port that is free now. */
export const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
