/** Real folders with packages, and those packages served; scripts run as plain processes. */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import type { Provider, ProviderAnswer, ProviderRequest } from "../../kernel/provider.ts";
import type { RunScript, ScriptEnd } from "../../kernel/script.ts";
import type { PackageDiagnostic } from "../../kernel/skill-admin.ts";
import { makeDir, write } from "../skills-for-tests.ts";
import { createPackages, type Packages, type PackagesOptions } from "./create-packages.ts";
import { readPackages } from "./read-packages.ts";
import type { SkillPackage } from "./skill-package.ts";

export const SCRIPT = "console.log(JSON.stringify({ ok: process.argv[2] }));\n";

/** `more`: further lines of the block `dcc-mcp`. */
export const manifestOf = (name: string, more = ""): string =>
  `---\nname: ${name}\ndescription: What ${name} is for.\nmetadata:\n  dcc-mcp:\n    tools: tools.yaml\n${more}---\n# ${name}\n`;

export const packageFiles = (
  name: string,
  tools: string,
  files: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> => ({
  "SKILL.md": manifestOf(name),
  "tools.yaml": tools,
  "scripts/run.mjs": SCRIPT,
  ...files,
});

/** The package that a folder with these files is. */
export const readOne = async (files: Readonly<Record<string, string>>, folder = "pkg"): Promise<SkillPackage> => {
  const dir = makeDir();
  write(join(dir, folder), files);
  const { packages } = await readPackages([{ path: dir, source: "workspace" }]);
  const [found] = packages;
  if (found === undefined || packages.length > 1) throw new Error("it is not one package");
  return found;
};

/** Of a package that has just this `tools.yaml`. */
export const readTools = (tools: string, files: Readonly<Record<string, string>> = {}): Promise<SkillPackage> =>
  readOne(packageFiles("pkg", tools, files));

export const codesOf = (diagnostics: readonly PackageDiagnostic[]): readonly string[] =>
  diagnostics.map(({ reason_code: code, warning }) => (warning ? `${code} (warning)` : code));

const runScript: RunScript = async ({ command, args, packageDir, input }) => {
  const child = spawn(command, args, { cwd: packageDir, stdio: ["pipe", "pipe", "ignore"] });
  child.stdin.on("error", () => {});
  child.stdin.end(input);
  const ended = new Promise<Omit<ScriptEnd, "stdout">>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => resolve({ how: "exited", code, signal, lastLine: null, opening: "" }));
  });
  const [stdout, end] = await Promise.all([buffer(child.stdout), ended]);
  return { ...end, stdout };
};

export interface OpenedPackages {
  readonly packages: Packages;
  /** What was announced: by name. */
  readonly providers: ReadonlyMap<string, Provider>;
  /** `add x`, `changed x`, `remove x`. */
  readonly said: string[];
  readonly events: { readonly type: string; readonly data: Record<string, unknown> }[];
}

export const openPackages = async (dir: string, more: Partial<PackagesOptions> = {}): Promise<OpenedPackages> => {
  const providers = new Map<string, Provider>();
  const said: string[] = [];
  const events: OpenedPackages["events"] = [];
  const packages = createPackages({
    dirs: () => [{ path: dir, source: "workspace" }],
    pinsFile: join(dir, ".state", "packages.json"),
    groups: () => ({}),
    grants: () => [],
    run: runScript,
    sink: {
      add: (provider) => {
        providers.set(provider.name, provider);
        said.push(`add ${provider.name}`);
      },
      remove: (name) => {
        providers.delete(name);
        said.push(`remove ${name}`);
      },
      changed: (name) => void said.push(`changed ${name}`),
    },
    isTaken: () => false,
    isWritable: () => false,
    which: (program) => `/usr/bin/${program}`,
    onEvent: async (type, data) => void events.push({ type, data: { ...data } }),
    onChange: () => {},
    report: (error) => {
      throw error;
    },
    checkMs: 600_000,
    ...more,
  });
  onTestFinished(() => packages.close());
  await packages.ready;
  return { packages, providers, said, events };
};

/** `name`, `name held definition_changed`, `name disabled group_inactive`. */
export const toolsOf = (provider: Provider | undefined): readonly string[] =>
  (provider?.catalogue().tools ?? []).map(({ name, held, barred }) =>
    [name, held && `held ${held}`, barred && `${barred.state} ${barred.reason}`].filter(Boolean).join(" "),
  );

/** Calls a tool of it as the call path would. */
export const callTool = (provider: Provider | undefined, name: string): Promise<ProviderAnswer> => {
  if (provider === undefined) throw new Error("there is no provider");
  return provider.send({
    method: "tools/call",
    name,
    params: `"name":${JSON.stringify(name)},"arguments":{}`,
    meta: "",
    signal: new AbortController().signal,
    asker: { returns: false, declared: { value: {} } },
    facts: () => ({
      invocationId: "inv",
      correlationId: "cor",
      workspace: "ws_default",
      principal: "p",
      required: [],
      roots: { json: "null" },
    }),
  } as unknown as ProviderRequest);
};
