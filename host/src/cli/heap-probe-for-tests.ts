/** How much memory the host has in use, garbage aside. What the process holds says little: a heap keeps what it once needed. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { FIXTURES } from "./serve-for-tests.ts";

export interface HeapProbe {
  /** Starts a host that can be measured; the environment is restored when it runs. */
  around<Started>(start: () => Promise<Started>): Promise<Started>;
  measure(pid: number): Promise<number>;
  remove(): void;
}

export const createHeapProbe = (): HeapProbe => {
  const dir = mkdtempSync(join(tmpdir(), "bailiwick-heap-"));
  const file = join(dir, "heap");
  writeFileSync(file, "");
  const lines = (): string[] => readFileSync(file, "utf8").split("\n").slice(0, -1);
  return {
    async around(start) {
      const { NODE_OPTIONS: before = "" } = process.env;
      process.env["NODE_OPTIONS"] = `${before} --import ${pathToFileURL(join(FIXTURES, "heap-probe.mjs")).href}`;
      process.env["HEAP_PROBE"] = file;
      try {
        return await start();
      } finally {
        process.env["NODE_OPTIONS"] = before;
        delete process.env["HEAP_PROBE"];
      }
    },
    async measure(pid) {
      const before = lines().length;
      process.kill(pid, "SIGUSR2");
      while (lines().length === before) await sleep(20);
      return Number(lines().at(-1));
    },
    remove: () => rmSync(dir, { recursive: true, force: true }),
  };
};
