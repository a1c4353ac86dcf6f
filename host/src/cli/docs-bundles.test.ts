/**
 * Runs docs/bundles.md from top to bottom, as an author would: `file=` blocks are written, `serve` starts the host, `run` blocks
 * go through the shell, and `says` blocks name what they must have printed. `npm` stands for an install, which is done here by
 * copying, since a test has no network.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";

interface Block {
  readonly line: number;
  readonly kind: "file" | "serve" | "npm" | "run" | "says";
  readonly file: string;
  readonly exit: number;
  readonly text: string;
}

interface Ran {
  readonly code: number | null;
  readonly output: string;
}

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const MODULES = join(ROOT, "node_modules");
const STEP_MS = 60_000;

const readBlocks = (text: string): readonly Block[] =>
  [...text.matchAll(/^```\w+ (file|serve|npm|run|says)(?:=(\S+))?(?: exit=(\d+))?\n(.*?)^```$/gms)].map((match) => ({
    line: text.slice(0, match.index).split("\n").length,
    kind: match[1] as Block["kind"],
    file: match[2] ?? "",
    exit: Number(match[3] ?? 0),
    text: match[4] ?? "",
  }));

const BLOCKS = readBlocks(readFileSync(join(ROOT, "docs", "bundles.md"), "utf8"));
const dir = mkdtempSync(join(tmpdir(), "bailiwick-docs-"));
const env = {
  PATH: [join(MODULES, ".bin"), process.env["PATH"] ?? ""].join(delimiter),
  HOME: join(dir, "home"),
  BAILIWICK: ROOT.replace(/\/$/, ""),
};
const here = join(dir, "folder");
mkdirSync(here);
mkdirSync(env.HOME);
let served: ChildProcess | null = null;
let last: Ran = { code: null, output: "" };

afterAll(async () => {
  await endHost();
  rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
});

const endHost = async (): Promise<void> => {
  const child = served;
  if (child === null || child.exitCode !== null) return;
  const gone = new Promise((resolve) => child.once("close", resolve));
  child.kill("SIGTERM");
  const late = setTimeout(() => child.kill("SIGKILL"), 30_000);
  await gone;
  clearTimeout(late);
};

const listenTo = (child: ChildProcess): (() => string) => {
  let output = "";
  const collect = (text: string): void => void (output += text);
  child.stdout?.setEncoding("utf8").on("data", collect);
  child.stderr?.setEncoding("utf8").on("data", collect);
  return () => output;
};

const runBlock = async (text: string): Promise<Ran> => {
  const child = spawn("sh", ["-euc", text], { cwd: here, env, stdio: ["ignore", "pipe", "pipe"] });
  const output = listenTo(child);
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  return { code, output: output() };
};

/** On any free port; everything else as the page says. */
const startHost = async (command: string): Promise<string> => {
  const text = `exec ${command.trim()} --port 0 --json`;
  const child = spawn("sh", ["-euc", text], { cwd: here, env, stdio: ["ignore", "pipe", "pipe"] });
  served = child;
  process.once("exit", () => child.kill("SIGKILL"));
  const output = listenTo(child);
  await new Promise<void>((resolve, reject) => {
    child.stdout.on("data", () => (output().includes('"listening"') ? resolve() : undefined));
    child.once("close", () => reject(new Error(`The host ended: ${output()}`)));
  });
  return output();
};

/** What npm would put there: the packages that the command names, and all that they need. */
const copyPackages = (command: string): void => {
  const [, folder = "", names = ""] = /--prefix (\S+) (.*)/.exec(command) ?? [];
  const wanted = names.split(" ").map((name) => name.replace(/(?<=.)@[^@/]*$/, ""));
  const copied = new Set<string>();
  for (const name of wanted) {
    if (copied.has(name)) continue;
    copied.add(name);
    const target = join(here, folder, "node_modules", name);
    cpSync(join(MODULES, name), target, { recursive: true, filter: (path) => !path.endsWith(".map") });
    const { dependencies = {} } = JSON.parse(readFileSync(join(target, "package.json"), "utf8")) as {
      dependencies?: Record<string, string>;
    };
    wanted.push(...Object.keys(dependencies));
  }
};

const writeBlock = (file: string, text: string): void => {
  mkdirSync(dirname(join(here, file)), { recursive: true });
  writeFileSync(join(here, file), text);
};

describe("docs/bundles.md", () => {
  it.each(BLOCKS)(
    "works at line $line ($kind $file)",
    async ({ kind, file, exit, text }) => {
      if (kind === "file") writeBlock(file, text);
      else if (kind === "npm") copyPackages(text);
      else if (kind === "serve") expect(await startHost(text)).toContain("listening");
      else if (kind === "run") {
        last = await runBlock(text);
        expect(last).toEqual({ code: exit, output: last.output });
      } else for (const line of text.trim().split("\n")) expect(last.output).toContain(line);
    },
    STEP_MS,
  );

  it("shows the same files as examples/hello", () => {
    const files = BLOCKS.filter(({ file }) => file.startsWith("hello/"));
    expect(files.map(({ file }) => file)).toEqual(["hello/manifest.json", "hello/server.mjs"]);
    for (const { file, text } of files) expect(readFileSync(join(ROOT, "examples", file), "utf8")).toBe(text);
  });

  it("marks its commands so that they are run", () => {
    const kinds = BLOCKS.map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === "run").length).toBeGreaterThanOrEqual(8);
    expect(kinds.filter((kind) => kind === "serve")).toHaveLength(1);
  });
});
