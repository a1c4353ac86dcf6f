/** What the tests of the sources share: entries as the host would have read them, sources, and a registry on loopback. */
import { parseConfig, type NameEntry, type PathEntry } from "@bailiwick/contract";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { LocateOrder } from "../located.ts";
import { createSources, type Sources } from "./create-sources.ts";
import type { SourcesOptions } from "./sources-options.ts";

const entryOf = (entry: Readonly<Record<string, unknown>>): NameEntry | PathEntry => {
  const { config, errors } = parseConfig(JSON.stringify({ bundles: [entry] }), { dialect: "bailiwick" });
  const [read] = config?.bundles ?? [];
  if (read === undefined || read.kind === "url") throw new Error(JSON.stringify(errors));
  return read;
};

export const nameEntry = (name: string, more: Readonly<Record<string, unknown>> = {}): NameEntry =>
  entryOf({ name, ...more }) as NameEntry;

export const pathEntry = (path: string): PathEntry => entryOf({ path }) as PathEntry;

export const order = (more: Partial<LocateOrder> = {}): LocateOrder => ({
  fresh: false,
  signal: AbortSignal.timeout(60_000),
  ...more,
});

const LOOPBACK = { allowInsecureRemotes: true, allowPrivateRemotes: [] } as const;

export const makeSources = (workDir: string, more: Partial<SourcesOptions> = {}): Sources =>
  createSources({
    workDir,
    baseDir: workDir,
    env: process.env,
    registries: [],
    rules: LOOPBACK,
    nodePath: process.execPath,
    hostResources: { enabled: true, ratePerSecond: 100, burst: 1000, maxReadBytes: 10_485_760 },
    report: (error) => {
      throw error;
    },
    ...more,
  });

/** Everything in the store but the scratch folder itself; nothing must be left in that. */
export const storeOf = (workDir: string): string[] => {
  const home = join(workDir, "bundles");
  if (!existsSync(home)) return [];
  return readdirSync(home, { recursive: true, encoding: "utf8" }).filter((path) => path !== ".tmp");
};

export type Answers = (request: IncomingMessage, response: ServerResponse, url: URL) => void;

export interface TestRegistry {
  readonly url: string;
  /** Paths with queries, in the order they were asked for. */
  readonly asked: string[];
}

/** A web server that goes away with the test. */
export const startRegistry = async (answers: Answers): Promise<TestRegistry> => {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? "");
    answers(request, response, new URL(request.url ?? "/", "http://registry"));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
};

export const sendJson = (response: ServerResponse, value: unknown, status = 200): void => {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(value));
};
