/**
 * Bailiwick as a subject: the built command, a configuration with one stdio bundle, the owner's key.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Launched, launch } from "./launch.ts";
import { freePort, HOST_COMMAND, HOST_MODULES, program } from "./places.ts";
import { probe } from "./probe.ts";
import type { Running, Subject } from "./subject.ts";
import type { Target } from "./target.ts";

export interface HostOptions {
  readonly home: string;
  readonly durability?: "before-execution" | "batched";
  readonly tools?: number;
  /** Which door the target is. */
  readonly door?: "mcp" | "chp" | "chp-host-ids";
  /** More of the configuration. */
  readonly settings?: object;
  /** Default: `<home>/work`. */
  readonly workDir?: string;
  /** Arguments of Node for a profile; the host then runs unbundled. */
  readonly nodeArgs?: readonly string[];
}

export interface StartedHost {
  readonly launched: Launched;
  readonly port: number;
  readonly workDir: string;
}

/** The host's id in the evidence of every run, so that a log filled beforehand is this host's own. */
export const HOST_ID = "bench";

/** Those of `host/bin/bailiwick` that bear on speed. */
const NODE_FLAGS = ["--max-semi-space-size=16", "--no-allocation-site-pretenuring"];

const writeBundle = (home: string, tools: number): string => {
  const directory = join(home, "echo-bundle");
  mkdirSync(directory, { recursive: true });
  const manifest = {
    manifest_version: "0.3",
    name: "echo",
    version: "1.0.0",
    description: "The bench's echo server.",
    author: { name: "bench" },
    server: {
      type: "node",
      entry_point: "echo-server.js",
      mcp_config: { command: process.execPath, args: [program("echo-server"), "--tools", String(tools)] },
    },
  };
  writeFileSync(join(directory, "manifest.json"), JSON.stringify(manifest));
  return directory;
};

/** Spawns the host and does not wait for anything. */
export const spawnHost = async (options: HostOptions): Promise<StartedHost> => {
  if (!existsSync(HOST_MODULES)) throw new Error("the host is not built; run npm run build");
  const { home, workDir = join(home, "work") } = options;
  const port = await freePort();
  const config = join(home, "bailiwick.json");
  mkdirSync(home, { recursive: true });
  const settings = {
    bundles: [{ path: writeBundle(home, options.tools ?? 1), serverName: "echo" }],
    noDefaultBundles: true,
    host: { id: HOST_ID },
    evidence: { durability: options.durability ?? "before-execution" },
    ...options.settings,
  };
  writeFileSync(config, JSON.stringify(settings));
  const serve = ["serve", "--config", config, "--workdir", workDir, "--port", String(port), "--json"];
  const { nodeArgs } = options;
  const [command, ...args] =
    nodeArgs === undefined
      ? ["sh", HOST_COMMAND, ...serve]
      : [process.execPath, ...NODE_FLAGS, ...nodeArgs, HOST_MODULES, ...serve];
  return { launched: launch({ command, args, home, log: join(home, "output.log") }), port, workDir };
};

/** Where a host that listens is reached. */
export const targetOf = (host: StartedHost): Target => ({
  url: `http://127.0.0.1:${host.port}/mcp`,
  headers: { authorization: `Bearer ${readFileSync(join(host.workDir, "owner.key"), "utf8").trim()}` },
  wire: "http",
  tool: "echo__echo",
});

/** The same host over its CHP door. */
export const overChp = (target: Target): Target => ({
  ...target,
  url: new URL("/chp/invoke", target.url).href,
  wire: "chp",
});

const atDoor = (target: Target, door: HostOptions["door"]): Target => {
  if (door === "chp-host-ids") return { ...overChp(target), hostIds: true };
  return door === "chp" ? overChp(target) : target;
};

const whenKeyed = async (host: StartedHost): Promise<void> => {
  const until = Date.now() + 10_000;
  while (!existsSync(join(host.workDir, "owner.key")) && host.launched.running() && Date.now() < until) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  if (!existsSync(join(host.workDir, "owner.key"))) {
    throw new Error(`the host made no key; it said: ${host.launched.lastWords()}`);
  }
};

/** Resolves when the host has answered its first call. */
export const startHost = async (options: HostOptions): Promise<Running> => {
  const host = await spawnHost(options);
  await whenKeyed(host);
  const target = atDoor(targetOf(host), options.door);
  await probe(target, host.launched);
  return { target, launched: host.launched };
};

export const BAILIWICK_SUBJECTS: readonly Subject[] = [
  {
    id: "bailiwick",
    title: "Bailiwick, durable",
    note: "as it comes: key required, every call recorded, fsync before it is sent and before it is answered",
    kind: "bailiwick",
    start: (home) => startHost({ home }),
  },
  {
    id: "batched",
    title: "Bailiwick, batched",
    note: "the same with evidence.durability batched: fsync every 200 ms",
    kind: "bailiwick",
    start: (home) => startHost({ home, durability: "batched" }),
  },
  {
    id: "chp",
    title: "Bailiwick, CHP",
    note: "durable, over POST /chp/invoke: whole envelopes with ids of their own, each answer kept for a day in case of a repeat",
    kind: "bailiwick",
    start: (home) => startHost({ home, door: "chp" }),
  },
  {
    id: "chp-host-ids",
    title: "Bailiwick, CHP, host's ids",
    note: "the same without an id of the caller's, as over /mcp: the host makes it, and there is nothing to keep",
    kind: "bailiwick",
    start: (home) => startHost({ home, door: "chp-host-ids" }),
  },
];
