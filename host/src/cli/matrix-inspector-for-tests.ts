/** The inspector on the command line as a row of the matrix: a process for every request. */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { MatrixRow, Opening } from "./matrix-clients-for-tests.ts";

const manifest = createRequire(import.meta.url).resolve("@modelcontextprotocol/inspector/package.json");
const { bin } = createRequire(import.meta.url)(manifest) as { bin: Record<string, string> };
const INSPECTOR = join(dirname(manifest), bin["mcp-inspector"] as string);

interface Inspection extends Opening {
  readonly era: string;
  /** It keeps files in the home directory. */
  readonly home: string;
}

const inspect = async ({ url, key, era, home }: Inspection, args: readonly string[]): Promise<unknown> => {
  const common = ["--cli", url, "--transport", "http", "--protocol-era", era, "--format", "json"];
  const all = [INSPECTOR, ...common, "--header", `Authorization: Bearer ${key}`, "--method", ...args];
  const child = spawn(process.execPath, all, {
    env: { ...process.env, HOME: home },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  if (code !== 0) throw new Error(`${args.join(" ")} ended with ${code}. ${stdout} ${stderr}`);
  return (JSON.parse(stdout) as { result: unknown }).result;
};

const CANNOT = {
  complete: "its command line has no completion",
  progress: "its command line shows no progress",
  cancel: "its command line cannot cancel, only end",
  elicitation: "its command line has nobody to ask and declares so",
  sampling: "its command line has no model and declares so",
  page: "its command line has nobody to ask and declares so",
  "page first": "its command line has nobody to ask and declares so",
} as const;

const pairsOf = (args: object): string[] => Object.entries(args).map(([name, value]) => `${name}=${value}`);

const listTools = async (at: Inspection): Promise<string[]> => {
  const { tools } = (await inspect(at, ["tools/list"])) as { tools: { name: string }[] };
  return tools.map(({ name }) => name);
};

const inspector = (era: string): MatrixRow => ({
  client: `inspector, ${era}`,
  cannot: CANNOT,
  open: (opening) => {
    const at = { ...opening, era, home: mkdtempSync(join(tmpdir(), "bailiwick-inspector-")) };
    let listed: Promise<string[]> | null = null;
    return Promise.resolve({
      listTools: () => (listed ??= listTools(at)),
      call: (name, args) => inspect(at, ["tools/call", "--tool-name", name, "--tool-args-json", JSON.stringify(args)]),
      read: (uri) => inspect(at, ["resources/read", "--uri", uri]),
      prompt: (name, args) => inspect(at, ["prompts/get", "--prompt-name", name, "--prompt-args", ...pairsOf(args)]),
      complete: null,
      close: () => Promise.resolve(rmSync(at.home, { recursive: true, force: true })),
    });
  },
});

export const INSPECTORS: readonly MatrixRow[] = [inspector("legacy"), inspector("modern")];
