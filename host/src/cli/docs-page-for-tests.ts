/**
 * Runs a page of docs/ from top to bottom, as its reader would, in a folder of its own: `file=` blocks are written, `serve`
 * starts the host, `run` blocks go through the shell, and `says` blocks name what they must have printed. `npm` stands for an
 * install, which is done here by copying, since a test has no network.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export interface Block {
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

export interface PageReader {
  /** Does what one block says, and tells where the page is wrong. */
  follow(block: Block): Promise<readonly string[]>;
  /** Ends the host and removes everything. */
  close(): Promise<void>;
}

export const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
export const STEP_MS = 60_000;
const MODULES = join(ROOT, "node_modules");

export const readBlocks = (page: string): readonly Block[] => {
  const text = readFileSync(join(ROOT, "docs", page), "utf8");
  return [...text.matchAll(/^```\w+ (file|serve|npm|run|says)(?:=(\S+))?(?: exit=(\d+))?\n(.*?)^```$/gms)].map(
    (match) => ({
      line: text.slice(0, match.index).split("\n").length,
      kind: match[1] as Block["kind"],
      file: match[2] ?? "",
      exit: Number(match[3] ?? 0),
      text: match[4] ?? "",
    }),
  );
};

const listenTo = (child: ChildProcess): (() => string) => {
  let output = "";
  const collect = (text: string): void => void (output += text);
  child.stdout?.setEncoding("utf8").on("data", collect);
  child.stderr?.setEncoding("utf8").on("data", collect);
  return () => output;
};

const endHost = async (child: ChildProcess | null): Promise<void> => {
  if (child === null || child.exitCode !== null) return;
  const gone = new Promise((resolve) => child.once("close", resolve));
  child.kill("SIGTERM");
  const late = setTimeout(() => child.kill("SIGKILL"), 30_000);
  await gone;
  clearTimeout(late);
};

/** What npm would put there: the packages that the command names, and all that they need. */
const copyPackages = (here: string, command: string): void => {
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

/** `variables`: what the page tells its reader to set beside what every page does. */
export const createPageReader = (variables: Readonly<Record<string, string>> = {}): PageReader => {
  const dir = mkdtempSync(join(tmpdir(), "bailiwick-docs-"));
  const here = join(dir, "folder");
  const env: Record<string, string> = {
    PATH: [join(MODULES, ".bin"), process.env["PATH"] ?? ""].join(delimiter),
    HOME: join(dir, "home"),
    BAILIWICK: ROOT.replace(/\/$/, ""),
    ...variables,
  };
  mkdirSync(here);
  mkdirSync(join(dir, "home"));
  let served: ChildProcess | null = null;
  let last: Ran = { code: null, output: "" };

  const shell = (text: string): ChildProcess =>
    spawn("sh", ["-euc", text], { cwd: here, env, stdio: ["ignore", "pipe", "pipe"] });

  const run = async (text: string): Promise<Ran> => {
    const child = shell(text);
    const output = listenTo(child);
    const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
    return { code, output: output() };
  };

  /** On any free port, which the page's commands find in `URL`; everything else as the page says. */
  const startHost = async (command: string): Promise<void> => {
    const child = shell(`exec ${command.trim()} --port 0 --json`);
    served = child;
    process.once("exit", () => child.kill("SIGKILL"));
    const output = listenTo(child);
    env["URL"] = await new Promise<string>((resolve, reject) => {
      child.stdout?.on("data", () => {
        const [, origin] = /"listening".*"origin":"([^"]+)"/.exec(output()) ?? [];
        if (origin !== undefined) resolve(origin);
      });
      child.once("close", () => reject(new Error(`The host ended: ${output()}`)));
    });
  };

  const writeBlock = (file: string, text: string): void => {
    mkdirSync(dirname(join(here, file)), { recursive: true });
    writeFileSync(join(here, file), text);
  };

  return {
    async follow({ kind, file, exit, text }) {
      if (kind === "file") writeBlock(file, text);
      if (kind === "npm") copyPackages(here, text);
      if (kind === "serve") await startHost(text);
      if (kind === "run") last = await run(text);
      if (kind === "run" && last.code !== exit) return [`exit code ${last.code}, not ${exit}: ${last.output}`];
      const expected = kind === "says" ? text.trimEnd().split("\n") : [];
      return expected
        .filter((line) => !last.output.includes(line))
        .map((line) => `not said: ${line}\nbut: ${last.output}`);
    },
    async close() {
      await endHost(served);
      rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
    },
  };
};
