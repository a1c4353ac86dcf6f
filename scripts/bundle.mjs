/**
 * Joins the built host into the few files that are run: less memory and a faster start than two hundred modules
 * (docs/decisions/0005-one-bundle.md). Does nothing when the bundle is newer than what it is made of.
 */
import { globSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const HOST = join(ROOT, "host");
const MAIN = join(HOST, "bundle", "run", "main.js");
const SOURCES = ["host/dist/**/*.js", "contract/dist/**/*.js", "scripts/bundle.mjs"];

/** One character beyond ASCII makes the engine keep the whole file at two bytes a character; an escape means the same. */
const escapeWide = (code) =>
  code.replaceAll(/[^\0-\u007F]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);

const changedAt = (file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
const made = changedAt(MAIN);
const stale = SOURCES.some((pattern) =>
  globSync(pattern, { cwd: ROOT }).some((file) => changedAt(join(ROOT, file)) > made),
);

if (stale) {
  rmSync(join(HOST, "bundle"), { recursive: true, force: true });
  const build = await rolldown({
    input: {
      main: join(HOST, "dist", "cli", "main.js"),
      index: join(HOST, "dist", "index.js"),
      "evidence-worker": join(HOST, "dist", "storage", "evidence-worker.js"),
      "head-v1-worker": join(HOST, "dist", "storage", "tree", "head-v1-worker.js"),
      "text-worker": join(HOST, "dist", "workspace", "files", "text-worker.js"),
      "render-worker": join(HOST, "dist", "compose", "run", "render-worker.js"),
      "bash-server": join(HOST, "dist", "bundles", "bash", "bash-server.js"),
    },
    platform: "node",
    external: ["ajv", "ajv/dist/2020.js", "undici", "eventsource-parser"],
    cwd: HOST,
  });
  await build.write({
    dir: join(HOST, "bundle"),
    format: "esm",
    sourcemap: true,
    // Source text is kept in memory; the legal notes of others stay.
    comments: { legal: true, annotation: false, jsdoc: false },
    entryFileNames: "run/[name].js",
    chunkFileNames: "run/[name]-[hash].js",
  });
  await build.close();
  const files = globSync("*.js", { cwd: dirname(MAIN) }).map((file) => join(dirname(MAIN), file));
  for (const file of files) writeFileSync(file, escapeWide(readFileSync(file, "utf8")));
  console.log(`Bundled the host: ${files.length} files.`);
}
