import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const sourceOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/**
 * Tests that leave nothing behind in their process: one process for many files saves minutes. A process that has seen
 * hundreds of threads may abort, so the tests that start whole hosts are divided; those that measure memory, or start
 * threads without end, have each their own process.
 */
const SHARED: Readonly<Record<string, readonly string[]>> = {
  shared: [
    "{contract,bundle-sdk,bench}/**/*.test.ts",
    "host/src/{agent,bundles,call,conformance,kernel,skills}/**/*.test.ts",
    "host/src/transport/**/!(own-text).test.ts",
    "host/src/compose/{,!(run|outputs|tools)/**/}*.test.ts",
    "host/src/compose/tools/!(assemble-*).test.ts",
  ],
  "hosts a": ["host/src/assembly/**/a*.test.ts"],
  "hosts b-f": ["host/src/assembly/**/[b-f]*.test.ts"],
  "hosts g-p": ["host/src/assembly/**/[g-p]*.test.ts"],
  "hosts q-z": ["host/src/assembly/**/[q-z]*.test.ts"],
};

export default defineConfig({
  resolve: {
    alias: [
      { find: /^@bailiwick\/contract$/, replacement: sourceOf("./contract/src/index.ts") },
      { find: /^@bailiwick\/contract\/roots$/, replacement: sourceOf("./contract/src/roots/index.ts") },
    ],
  },
  test: {
    exclude: ["**/node_modules/**", "**/dist/**"],
    pool: "forks",
    // Most tests wait for processes and time-outs, so three at a time fit on two cores, where one would be the default.
    maxWorkers: 3,
    // V8 keeps one map of code pages for all threads and aborts where it misses one; with hosts, and so threads, coming and
    // going in one process that happened. host/bin/bailiwick starts the host without it too.
    execArgv: ["--no-memory-protection-keys"],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    projects: [
      ...Object.entries(SHARED).map(([name, include]) => ({
        extends: true as const,
        test: { name, include: [...include], isolate: false },
      })),
      {
        extends: true,
        test: {
          name: "alone",
          include: ["{contract,host,bundle-sdk,web,bench,scripts}/**/*.test.ts"],
          exclude: ["**/node_modules/**", "**/dist/**", ...Object.values(SHARED).flat()],
        },
      },
    ],
  },
});
