import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Program } from "../../kernel/program.ts";
import { ScriptNotStarted } from "../../kernel/script-not-started.ts";
import { makeWorkDir, until } from "../bundles-for-tests.ts";
import { createGround } from "../ground.ts";
import { unconfinable, unlessUnconfinable } from "../sandbox/confined-for-tests.ts";
import { sleepers } from "./scripts-for-tests.ts";
import { createStartProgram } from "./start-program.ts";

const RUNNER = fileURLToPath(new URL("../../../runner/generator-runner.mjs", import.meta.url));
const OFF = { profile: "off", require: false, network: "host", read: [], write: [] } as const;
const BWRAP = { ...OFF, profile: "bwrap", require: true } as const;

interface Opened {
  readonly program: Program;
  readonly lines: string[];
  readonly next: () => Promise<unknown>;
  /** How many processes of the host's the next boot would end. */
  readonly watched: () => number;
}

/** A plug-in of that text, in the work directory, run by the real runner. */
const open = async (
  text: string,
  sandbox: typeof OFF | typeof BWRAP = OFF,
  command = process.execPath,
): Promise<Opened> => {
  const dir = realpathSync(makeWorkDir());
  const workDir = join(dir, "work");
  const packageDir = join(workDir, "plugins/generators");
  mkdirSync(packageDir, { recursive: true });
  const file = join(packageDir, "mine.generator.mjs");
  writeFileSync(file, text);
  writeFileSync(join(workDir, "secret"), "of the host");
  const ground = createGround({ workDir, env: process.env, warn: () => {} });
  onTestFinished(() => ground.close());
  const start = createStartProgram({
    ground,
    workspace: "ws_default",
    workDir,
    baseDir: dir,
    configFiles: [],
    env: { PATH: process.env["PATH"], HOME: dir, MY_KEY: "hunter2!", OTHER: "hunter3!" },
    dataDirOf: (provider) => join(workDir, "workspaces/ws_default/data", provider),
    sandbox: () => sandbox,
  });
  const lines: string[] = [];
  const program = await start({
    provider: "generator-mine",
    packageDir,
    command,
    args: [RUNNER, file, createHash("sha256").update(text).digest("hex")],
    support: [RUNNER],
    allowedEnv: ["MY_KEY"],
    onLine: (line) => lines.push(line),
  });
  onTestFinished(() => program.end());
  const answers = createInterface({ input: program.channel })[Symbol.asyncIterator]();
  const next = async (): Promise<unknown> => JSON.parse((await answers.next()).value as string);
  const list = (): string[] => readFileSync(join(workDir, "run/children"), "utf8").trimEnd().split("\n");
  return { program, lines, next, watched: () => list().filter((line) => !line.startsWith("host ")).length };
};

const plugin = (body: string): string =>
  `import fs from "node:fs"; import { spawn } from "node:child_process";
   export default { type: "mine", version: "1", generate() { ${body} } };`;

const ask = async ({ program, next }: Opened): Promise<unknown> => {
  expect(await next()).toMatchObject({ loaded: { type: "mine" }, generates: true });
  program.channel.write('{"id":1,"config":{},"pattern":null,"context":{},"maxBytes":100000}\n');
  expect(await next()).toEqual({ begun: 1 });
  return next();
};

const SPY = `const tell = (file) => { try { return fs.readFileSync(file, "utf8"); } catch { return "hidden"; } };
  return [process.env.MY_KEY, process.env.OTHER, tell(import.meta.dirname + "/../../secret")].join();`;

describe("a program beside the host", () => {
  test("is talked to over its channel, and what it prints is only lines, without its secrets", async () => {
    const opened = await open(plugin(`console.log("out " + process.env.MY_KEY); console.error("err"); ${SPY}`));
    expect(await ask(opened)).toEqual({ id: 1, text: "hunter2!,,of the host" });
    await until(() => opened.lines.length === 2);
    expect(opened.lines.toSorted()).toEqual(["err", "out [redacted]"]);
    expect(opened.program.clean("It is hunter2!")).toBe("It is [redacted]");
  });

  test("ends with all that it started, and is on nobody's list then", async () => {
    const { seconds, running } = sleepers();
    const opened = await open(
      plugin(`spawn("sleep", ["${seconds}"], { detached: true, stdio: "ignore" }); return "";`),
    );
    await ask(opened);
    await until(() => running() === 1);
    expect(opened.watched()).toBe(1);
    await opened.program.end();
    expect([running(), opened.watched()]).toEqual([0, 0]);
    expect((await opened.program.ended).signal).toBe("SIGTERM");
  });

  test("tells how it ended, and takes with it what it left behind", async () => {
    const { seconds, running } = sleepers();
    const body = `spawn("sleep", ["${seconds}"], { detached: true, stdio: "ignore" }); process.kill(process.pid, "SIGKILL");`;
    const opened = await open(plugin(body));
    await opened.next();
    opened.program.channel.write('{"id":1,"maxBytes":1}\n');
    expect(await opened.program.ended).toEqual({ code: null, signal: "SIGKILL" });
    expect(running()).toBe(0);
  });

  test("that cannot be started says so", async () => {
    const failed = open("", OFF, "/nowhere/node").catch((error: unknown) => error);
    expect(await failed).toBeInstanceOf(ScriptNotStarted);
    expect(await failed).toMatchObject({ message: "Its process could not be started (ENOENT)." });
  });
});

describe.skipIf(unconfinable !== null)(`a program in the sandbox bwrap${unlessUnconfinable}`, () => {
  test("is talked to all the same, and sees nothing of the host's state but its folder", async () => {
    const opened = await open(plugin(SPY), BWRAP);
    expect(await ask(opened)).toEqual({ id: 1, text: "hunter2!,,hidden" });
    await opened.program.end();
    expect(opened.watched()).toBe(0);
  });

  test("ends even if it loops", async () => {
    const opened = await open("for (;;);", BWRAP);
    await opened.program.end();
    expect(opened.watched()).toBe(0);
  });
});
