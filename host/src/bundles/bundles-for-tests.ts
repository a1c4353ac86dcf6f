/** What the tests of this room share: a work directory, fixture bundles in it, and bundles that end with the test. */
import { parseConfig } from "@bailiwick/contract";
import { mkdtempSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { NOBODY } from "../kernel/ask.ts";
import { NO_PORT } from "../kernel/host-extension.ts";
import type { Provider, ProviderAnswer, ProviderRequest } from "../kernel/provider.ts";
import { NO_MEMBERS, rawMembers } from "../kernel/raw-json.ts";
import type { BundleEvent } from "./bundle-event.ts";
import type { BundlesOptions } from "./bundles-options.ts";
import { createBundles, type Bundles } from "./create-bundles.ts";
import { createGround } from "./ground.ts";
import { keepInMemory } from "./oauth/token-store-for-tests.ts";
import { openStoppedByPerson } from "./stopped-by-person.ts";
import { createSources } from "./sources/create-sources.ts";

export const FIXTURES = fileURLToPath(new URL("../../test/fixtures/", import.meta.url));

/** A fresh directory that goes away with the test. */
export const makeWorkDir = (): string => {
  const dir = mkdtempSync(join(tmpdir(), "bailiwick-bundles-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true, maxRetries: 5 }));
  return dir;
};

export const fixtureManifest = (name: string, env: Readonly<Record<string, string>> = {}): Record<string, unknown> => ({
  manifest_version: "0.3",
  name,
  version: "1.2.3",
  description: "a fixture",
  author: { name: "tests" },
  server: {
    type: "node",
    entry_point: "bundle-server.mjs",
    mcp_config: { command: "node", args: [join(FIXTURES, "bundle-server.mjs")], env },
  },
});

/** A directory `<dir>/<name>` with a manifest; returns its path. */
export const makeBundle = (dir: string, name: string, manifest: unknown): string => {
  const path = join(dir, name);
  mkdirSync(path, { recursive: true });
  writeFileSync(join(path, "manifest.json"), typeof manifest === "string" ? manifest : JSON.stringify(manifest));
  return path;
};

/** A configuration as the host would have read it. */
const configOf = (file: Readonly<Record<string, unknown>>): BundlesOptions["config"] => {
  const { config, errors } = parseConfig(JSON.stringify(file), { dialect: "bailiwick" });
  if (config === null) throw new Error(JSON.stringify(errors));
  return config;
};

export interface TestBundles {
  readonly bundles: Bundles;
  readonly providers: Map<string, Provider>;
  readonly events: BundleEvent[];
  /** How often each provider was announced as changed. */
  readonly changes: Map<string, number>;
  readonly provider: (name: string) => Provider;
}

export const runBundles = async (
  workDir: string,
  file: Readonly<Record<string, unknown>>,
  more: Partial<BundlesOptions> = {},
): Promise<TestBundles> => {
  const providers = new Map<string, Provider>();
  const events: BundleEvent[] = [];
  const changes = new Map<string, number>();
  const bugs: unknown[] = [];
  const config = configOf({ noDefaultBundles: true, ...file });
  const ground = createGround({ workDir, env: process.env, warn: (message) => bugs.push(message) });
  const bundles = createBundles({
    workspace: "ws_default",
    ground,
    locate: createSources({
      workDir,
      baseDir: workDir,
      env: process.env,
      registries: config.registries,
      hostResources: config.hostResources,
      rules: config,
      nodePath: process.execPath,
      report: (error) => bugs.push(error),
    }).locate,
    stopped: openStoppedByPerson(join(workDir, "stopped.json"), (error) => bugs.push(error)),
    extensions: { port: (_, keys) => ({ ...NO_PORT, offered: keys }) },
    storedValues: () => ({}),
    config,
    baseDir: workDir,
    configFiles: [],
    workDir,
    env: process.env,
    hostVersion: "0.0.0",
    resolveSecrets: (entry) => ({ ok: true, entry, secrets: [] }),
    log: (event) => events.push(event),
    report: (error) => bugs.push(error),
    oauth: { workspace: "ws_default", store: keepInMemory(), origin: () => "http://127.0.0.1:7420" },
    sink: {
      add: (provider) => providers.set(provider.name, provider),
      remove: (name) => providers.delete(name),
      changed: (name) => changes.set(name, (changes.get(name) ?? 0) + 1),
    },
    ...more,
  });
  onTestFinished(async () => {
    await bundles.stop();
    await ground.close();
    if (bugs.length > 0) throw bugs[0];
  });
  await bundles.start();
  const provider = (name: string): Provider => {
    const found = providers.get(name);
    if (found === undefined) throw new Error(`no provider ${name} among ${[...providers.keys()].join(", ")}`);
    return found;
  };
  return { bundles, providers, events, changes, provider };
};

/** Waits for something that is bound to come; the test's own time limit is the only one. */
export const until = async (isSo: () => boolean): Promise<void> => {
  while (!isSo()) await sleep(10);
};

export const untilRunning = (provider: Provider): Promise<void> => until(() => provider.status().state === "running");

export const toolCall = (tool: string, signal: AbortSignal = new AbortController().signal): ProviderRequest => ({
  method: "tools/call",
  name: tool,
  params: rawMembers(`"name":"${tool}","arguments":{"a":1.0}`),
  meta: NO_MEMBERS,
  signal,
  listener: { progress() {}, log() {}, level: () => null },
  asker: NOBODY,
  owner: "somebody",
  input: null,
  late: () => () => {},
});

/** The text of an answer's first content block. */
export const textOf = ({ json }: ProviderAnswer): string => {
  const { content } = JSON.parse(json) as { content: { text: string }[] };
  return content[0]?.text ?? "";
};

export const readLines = (file: string): string[] => {
  try {
    return readFileSync(file, "utf8").split("\n").filter(Boolean);
  } catch {
    return [];
  }
};

/** Whether a process is there and not merely waiting to be collected. */
export const isAlive = (pid: number | string): boolean => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return !/^[ZX] /.test(stat.slice(stat.lastIndexOf(") ") + 2));
  } catch {
    return false;
  }
};
