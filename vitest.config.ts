import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

export default defineConfig({
  resolve: {
    alias: { "@bailiwick/contract": fileURLToPath(new URL("./contract/src/index.ts", import.meta.url)) },
  },
  test: {
    include: ["{contract,host,bundle-sdk,web,bench,scripts}/**/*.test.ts"],
    exclude: ["**/node_modules/**", "**/dist/**"],
    pool: "forks",
    // Most tests wait for processes and time-outs, so two at a time fit on two cores, where one would be the default.
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
