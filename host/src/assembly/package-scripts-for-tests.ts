/** A skill package as a provider over real files and real processes; what reads packages from disk plays no part. */
import type { Sandbox } from "@bailiwick/contract";
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { createGround } from "../bundles/ground.ts";
import { Redaction } from "../bundles/redaction.ts";
import { createRunScript } from "../bundles/scripts/run-script.ts";
import { NOBODY } from "../kernel/ask.ts";
import { definitionOf } from "../kernel/definition-of.ts";
import type { CallFacts, ProviderRequest } from "../kernel/provider.ts";
import { NO_MEMBERS, rawJson, rawMembers } from "../kernel/raw-json.ts";
import type { RunScript } from "../kernel/script.ts";
import type { PackageListing, PackageProviderOptions } from "../skills/packages/package-listing.ts";
import { createPackageProvider, type PackageProvider } from "../skills/packages/run/create-package-provider.ts";
import type { PackageTool, ScriptKind } from "../skills/packages/skill-package.ts";

export interface ScriptTool extends Partial<PackageTool> {
  readonly text: string;
  /** Of the file; by it the kind. */
  readonly ext?: "sh" | "mjs" | "cjs" | "ts" | "py" | "";
}

const KINDS: Readonly<Record<string, ScriptKind>> = {
  sh: "shell",
  mjs: "node",
  cjs: "node",
  ts: "typescript",
  py: "python",
  "": "program",
};

export interface OpenedPackage {
  readonly dir: string;
  readonly listing: PackageListing;
  readonly dataDir: string;
  readonly run: RunScript;
  readonly provider: PackageProvider;
}

export interface PackageMore extends Partial<PackageProviderOptions> {
  readonly env?: NodeJS.ProcessEnv;
  readonly sandbox?: Sandbox;
  readonly configFiles?: readonly string[];
}

const OFF: Sandbox = { profile: "off", require: false, network: "host", read: [], write: [] };

export const openPackage = (tools: Readonly<Record<string, ScriptTool>>, more: PackageMore = {}): OpenedPackage => {
  const { env = process.env, sandbox = OFF, configFiles = [], ...options } = more;
  const place = realpathSync(mkdtempSync(join(tmpdir(), "bailiwick-package-")));
  onTestFinished(() => rmSync(place, { recursive: true, force: true, maxRetries: 5 }));
  const dir = join(place, "kit");
  const workDir = join(place, "work");
  const dataDir = join(workDir, "workspaces/ws_default/data/kit");
  const read = Object.entries(tools).map(([name, tool]) => writeTool(dir, name, tool));
  const listing = listingOf(dir, read);
  mkdirSync(workDir);
  const ground = createGround({ workDir, env: process.env, warn: () => {} });
  const run = createRunScript({
    ground,
    workspace: "ws_default",
    workDir,
    baseDir: place,
    configFiles,
    env,
    dataDirOf: () => dataDir,
    sandbox: () => sandbox,
    redaction: new Redaction(),
  });
  const provider = createPackageProvider({
    name: "kit",
    run,
    isIntact: () => Promise.resolve(true),
    grants: () => [],
    listed: () => listing,
    ...options,
  });
  onTestFinished(async () => {
    await provider.close();
    await ground.close();
  });
  return { dir, listing, dataDir, run, provider };
};

export const listingOf = (dir: string, tools: readonly PackageTool[]): PackageListing => ({
  dir,
  version: "1.2.3",
  byName: new Map(tools.map((tool) => [tool.name, tool])),
  tools: tools.map(({ name, inputSchema }) => {
    const value = { name, inputSchema };
    return { name, value, json: rawJson(JSON.stringify(value)), definition: definitionOf(value) };
  }),
});

const writeTool = (dir: string, name: string, { text, ext = "sh", ...more }: ScriptTool): PackageTool => {
  const script = ext === "" ? `scripts/${name}` : `scripts/${name}.${ext}`;
  mkdirSync(dirname(join(dir, script)), { recursive: true });
  writeFileSync(join(dir, script), text);
  chmodSync(join(dir, script), ext === "" ? 0o755 : 0o644);
  return {
    name,
    description: null,
    inputSchema: { type: "object" },
    incompleteSchema: false,
    outputSchema: null,
    required: [],
    annotations: null,
    readOnly: false,
    script,
    kind: KINDS[ext] ?? "program",
    execution: "sync",
    timeoutS: 60,
    affinity: "any",
    groups: [],
    hasUnreadGroup: false,
    searchAliases: [],
    risk: null,
    nextTools: null,
    carried: {},
    ...more,
  };
};

const ANN: CallFacts["caller"] = {
  id: "person:ann",
  kind: "person",
  onBehalfOf: null,
  roles: [],
  permissions: [],
  assurance: "credential",
  scopes: null,
  workspace: "ws_default",
  credentialId: "ann",
};

/** About a call of a tool that requires `required`, with one root. */
export const factsOf = (required: readonly string[], path: string): CallFacts => {
  const roots = [{ name: "project", uri: `file://${path}`, path }];
  return {
    invocationId: "inv_1",
    correlationId: "cor_1",
    endpoint: null,
    workspace: "ws_default",
    principal: "person:ann",
    caller: ANN,
    required,
    origin: { presented: { kind: "local" }, door: "program", run: null, approvalWaitMs: 0 },
    roots: {
      profile: "strict",
      supportsRoots: false,
      count: 1,
      rows: [{ ...roots[0], path, name: "project", uri: `file://${path}`, reason: null }],
      json: rawJson(JSON.stringify({ profile: "strict", roots })),
      listing: rawJson('{"roots":[]}'),
      digest: null,
      resolve: () => path,
    },
  };
};

export const callOf = (tool: string, args = "{}", more: Partial<ProviderRequest> = {}): ProviderRequest => ({
  method: "tools/call",
  name: tool,
  params: rawMembers(`"name":"${tool}","arguments":${args}`),
  meta: NO_MEMBERS,
  signal: new AbortController().signal,
  listener: { progress() {}, log() {}, level: () => null },
  asker: NOBODY,
  owner: "person:ann",
  input: null,
  late: () => () => {},
  ...more,
});
