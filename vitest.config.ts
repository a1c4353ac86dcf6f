import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const sourceOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/**
 * Folders whose tests leave nothing behind in their process: one process for many files saves minutes. Those that start
 * threads or measure memory are not among them: a process that has seen hundreds of threads may abort.
 */
const SHARED = [
  "{contract,bundle-sdk,bench}/**/*.test.ts",
  "host/src/{agent,bundles,call,conformance,kernel,skills}/**/*.test.ts",
  "host/src/transport/**/!(own-text).test.ts",
  "host/src/compose/{,!(run|outputs|tools)/**/}*.test.ts",
  "host/src/compose/tools/!(assemble-*).test.ts",
];

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
      { extends: true, test: { name: "shared", include: SHARED, isolate: false } },
      {
        extends: true,
        test: {
          name: "alone",
          include: ["{contract,host,bundle-sdk,web,bench,scripts}/**/*.test.ts"],
          exclude: ["**/node_modules/**", "**/dist/**", ...SHARED],
        },
      },
    ],
  },
});
