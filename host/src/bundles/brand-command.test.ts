import { execFile } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { brandCommand } from "./brand-command.ts";
import { brandOf } from "./brand-of.ts";
import { makeWorkDir } from "./bundles-for-tests.ts";

const run = promisify(execFile);
const MARKER = "0123456789abcdef0123456789abcdef";
const BRAND = brandOf(MARKER);
const PRLIMIT = "/usr/bin/prlimit";
const order = { args: ["-a", "--b=c"], env: { PATH: "/usr/bin:/bin" }, dataDir: "/", marker: MARKER };

// Without prlimit nothing can be branded.
describe.runIf(existsSync(PRLIMIT))("a branded program", () => {
  test("is itself: its pid, arguments, variables of any name, input and exit code", async () => {
    const tell = `process.stdin.on("data", (said) => {
      console.log(JSON.stringify([process.pid, process.argv.slice(1), process.env, String(said)]));
      process.exit(7);
    })`;
    const env = { PATH: "/usr/bin:/bin", "odd.name-": "1", EMPTY: "" };
    const args = ["-e", tell, "--", "--locks=1", "a b"];
    const branded = await brandCommand({ ...order, command: process.execPath, args, env });
    expect(branded.command).toBe(PRLIMIT);
    const child = execFile(branded.command, [...branded.args], { env });
    child.stdin?.end("hello");
    let out = "";
    child.stdout?.on("data", (chunk: string) => (out += chunk));
    const code = await new Promise((resolve) => void child.once("close", resolve));
    expect([code, JSON.parse(out)]).toEqual([7, [child.pid, ["--locks=1", "a b"], env, "hello"]]);
  });

  test("hands the brand on to what it starts, whatever that gives up", async () => {
    const script = `prlimit --pid $$ --locks=9: && setsid env -i /bin/cat /proc/self/limits`;
    const branded = await brandCommand({ ...order, command: "sh", args: ["-c", script] });
    const { stdout } = await run(branded.command, [...branded.args]);
    expect(stdout).toMatch(new RegExp(`^Max file locks +9 +${BRAND} `, "m"));
  });

  test("is found as it would be without: by its path, from its directory, on its own PATH", async () => {
    const dataDir = makeWorkDir();
    mkdirSync(join(dataDir, "bin"));
    writeFileSync(join(dataDir, "bin", "tool"), "#!/bin/sh\n", { mode: 0o700 });
    const isBranded = async (command: string, env: Record<string, string>): Promise<boolean> =>
      (await brandCommand({ ...order, dataDir, command, env })).command === PRLIMIT;
    expect(await isBranded(join(dataDir, "bin", "tool"), {})).toBe(true);
    expect(await isBranded("./bin/tool", {})).toBe(true);
    expect(await isBranded("tool", { PATH: `/nowhere:${dataDir}/bin` })).toBe(true);
    expect(await isBranded("tool", { PATH: "bin" })).toBe(true);
    expect(await isBranded("sh", {})).toBe(true);
  });
});

test.each(["/no/such", "no-such", "/tmp", "/etc/passwd"])(
  "%s, which cannot be run, is left to fail by itself",
  async (it) => {
    expect(await brandCommand({ ...order, command: it })).toEqual({ command: it, args: order.args });
  },
);

describe.runIf(existsSync(PRLIMIT))("in a host that is itself limited", () => {
  const here = (file: string): string => JSON.stringify(join(import.meta.dirname, file));
  const ask = `
    const { brandCommand } = await import(${here("brand-command.ts")});
    const { findBrander } = await import(${here("find-brander.ts")});
    const branded = await brandCommand(${JSON.stringify({ ...order, command: "true" })});
    console.log(JSON.stringify([branded, await findBrander()]));`;
  const brandUnder = async (...limits: string[]): Promise<unknown> => {
    const { stdout } = await run(PRLIMIT, [...limits, process.execPath, "--input-type=module", "-e", ask]);
    return JSON.parse(stdout);
  };

  test("the other limit carries the brand, so that the host keeps its own", async () => {
    const args = [`--rss=${BRAND}:${BRAND}`, "true", ...order.args];
    expect(await brandUnder("--locks=5:5")).toMatchObject([{ command: PRLIMIT, args }, { ok: true }]);
  });

  test("twice, the program runs without a brand, and it is said why", async () => {
    const reason = "the host's limits on file locks and resident set are taken";
    const bare = { command: "true", args: order.args };
    expect(await brandUnder("--locks=5:5", "--rss=5:5")).toEqual([bare, { ok: false, reason }]);
  });
});
