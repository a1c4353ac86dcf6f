/**
 * What CI runs beside the tests: every check to its end, one line each, then the output of those that failed.
 * Types come first because lint reads the declarations that they leave in `dist`.
 */
import { spawn } from "node:child_process";
import { delimiter, dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const BIN = join(ROOT, "node_modules", ".bin");
const ENV = { ...process.env, PATH: `${BIN}${delimiter}${process.env.PATH}`, NO_COLOR: "1" };

const CHECKS = [
  { name: "types", command: "tsc", args: ["-b", "--pretty", "false"] },
  { name: "format", command: "oxfmt", args: ["--check"], fix: "npm run format" },
  { name: "lint", command: "oxlint", args: [] },
  { name: "rooms", command: "vitest", args: ["run", "host/src/rooms.test.ts"] },
  { name: "dead code", command: "knip", args: ["--no-progress", "--treat-config-hints-as-errors"] },
];

const run = async ({ command, args }) => {
  const began = performance.now();
  const child = spawn(join(BIN, command), args, { cwd: ROOT, env: ENV, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  const collect = (chunk) => {
    output += chunk;
  };
  child.stdout.setEncoding("utf8").on("data", collect);
  child.stderr.setEncoding("utf8").on("data", collect);
  const code = await new Promise((resolve) => {
    child.once("error", (error) => {
      collect(error.message);
      resolve(1);
    });
    child.once("close", resolve);
  });
  return {
    ok: code === 0,
    output: stripVTControlCharacters(output),
    took: `${((performance.now() - began) / 1000).toFixed(1)} s`,
  };
};

const failed = [];
for (const check of CHECKS) {
  const { ok, output, took } = await run(check);
  console.log(`${check.name.padEnd(10)} ${ok ? "ok    " : "FAILED"} ${took.padStart(7)}`);
  if (!ok) failed.push({ ...check, output });
}
for (const { name, output, fix } of failed) {
  console.log(`\n── ${name} ──\n${output.trim()}${fix ? `\nTo mend it: ${fix}` : ""}`);
}
console.log(`\n${CHECKS.length - failed.length} checks passed, ${failed.length} failed`);
process.exitCode = failed.length === 0 ? 0 : 1;
