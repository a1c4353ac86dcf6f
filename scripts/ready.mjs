/**
 * Brings a clone to the point where its commands work: installs what is missing, builds what is stale, says so in one line a
 * step. Runs on the machine's own Node (20 or newer) before anything is installed, hence plain JavaScript without packages.
 * `--no-build` stops after the install.
 */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { explainInstallFailure } from "./explain-install-failure.mjs";
import { findInstallGap } from "./find-install-gap.mjs";

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const BIN = join(ROOT, "node_modules", ".bin");
const HEARTBEAT_MS = process.stderr.isTTY ? 1_000 : 10_000;
/**
 * `install --no-save` keeps to the lock file and leaves it alone, as `ci` does, but bears that it does not list the optional
 * packages of platforms for which the registry it was made with had none.
 */
const INSTALL = ["install", "--no-save", "--include=dev", "--loglevel=error", "--no-audit", "--no-fund"];

class NotReady extends Error {}

const say = (line) => process.stderr.write(`${line}\n`);
const seconds = (ms) => `${(ms / 1000).toFixed(1)} s`;

/** Runs a program to its end with its output collected, and shows that time passes. */
const runQuietly = async (command, args, label) => {
  const began = performance.now();
  const child = spawn(command, args, { cwd: ROOT, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  const collect = (chunk) => {
    output = (output + chunk).slice(-200_000);
  };
  child.stdout.setEncoding("utf8").on("data", collect);
  child.stderr.setEncoding("utf8").on("data", collect);
  const beat = setInterval(() => {
    const passed = seconds(performance.now() - began);
    process.stderr.write(process.stderr.isTTY ? `\r${label} ${passed} ` : `${label} ${passed}\n`);
  }, HEARTBEAT_MS);
  const code = await new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  }).finally(() => clearInterval(beat));
  if (process.stderr.isTTY) process.stderr.write("\r\x1b[K");
  return { code, output, ms: performance.now() - began };
};

const checkNode = () => {
  const major = Number(process.versions.node.split(".")[0]);
  if (major >= 20) return;
  throw new NotReady(
    `Node ${process.versions.node} is too old to install with. Install Node 20 or newer (https://nodejs.org) and try again.`,
  );
};

/** npm as it was started, on the Node it was started with: the one running this may lie in the folder that npm empties. */
const npmCommand = () => {
  const { npm_execpath: path = "", npm_node_execpath: node = process.execPath } = process.env;
  return /npm-cli\.c?js$/.test(path) ? [node, path] : ["npm"];
};

const install = async () => {
  const gap = findInstallGap(ROOT);
  if (gap === null) return;
  if (gap.kind === "disagree") throw new NotReady(`${gap.reason}. Run: npm install`);
  say(`Installing packages: ${gap.reason}. This may take a minute or two, once.`);
  await askRegistry();
  const { code, output, ms } = await runNpm(INSTALL);
  if (code !== 0) throw new NotReady(`${output.trim()}\n\n${explainInstallFailure(output) ?? tellCode(code)}`);
  say(`Installed packages in ${seconds(ms)}.`);
};

const runNpm = (args) => {
  const [command, ...first] = npmCommand();
  return runQuietly(command, [...first, ...args], "Installing packages:").catch((error) => {
    throw new NotReady(`npm could not be started (${error.message}). Install npm (it comes with Node) and try again.`);
  });
};

const tellCode = (code) =>
  `npm ended with code ${code}; what it said stands above. If it does not help: rm -rf node_modules, then try again.`;

/** Without a network npm would try each package again and again for many minutes before it says so. */
const askRegistry = async () => {
  const { code, output } = await runNpm(["ping", "--fetch-retries=0", "--fetch-timeout=15000", "--loglevel=error"]);
  const advice = code === 0 ? null : explainInstallFailure(output);
  if (advice !== null) throw new NotReady(advice);
};

/** Everything after the install runs on the `node` package's binary, or on the machine's Node where that is new enough. */
const checkRuntime = () => {
  if (existsSync(join(BIN, "node"))) return;
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major > 22 || (major === 22 && minor >= 18)) return;
  throw new NotReady(
    `Node ${process.versions.node} is older than 22.18, and the "node" package has not fetched its own: npm seems to be set ` +
      "to ignore install scripts. Run: npm rebuild node --ignore-scripts=false",
  );
};

const builtNode = () => (existsSync(join(BIN, "node")) ? join(BIN, "node") : process.execPath);

/** `tsc -b` finds out by itself what is stale, in a tenth of a second when nothing is; then there is nothing to tell. */
const build = async () => {
  const { code, output, ms } = await runQuietly(join(BIN, "tsc"), ["-b"], "Building:");
  if (code !== 0) throw new NotReady(`${output.trim()}\n\nThe build failed; the errors above name the files.`);
  const bundled = await runQuietly(builtNode(), [join(ROOT, "scripts", "bundle.mjs")], "Bundling:");
  if (bundled.code !== 0)
    throw new NotReady(`${bundled.output.trim()}\n\nThe host could not be bundled; the error stands above.`);
  const took = ms + bundled.ms;
  if (took > 1_500) say(`Built in ${seconds(took)}.`);
};

try {
  checkNode();
  await install();
  checkRuntime();
  if (!process.argv.includes("--no-build")) await build();
} catch (error) {
  if (!(error instanceof NotReady)) throw error;
  say(error.message);
  process.exitCode = 1;
}
