/**
 * A whole host in this process, with a directory, a configuration file and bundles of its own and its doors open. Each start of
 * a bundle's process leaves a mark, so that one that never ran has left none.
 */
import { createParser } from "eventsource-parser";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { until } from "../bundles/bundles-for-tests.ts";
import { holdToSchemas, type Json } from "../kernel/chp-client-for-tests.ts";
import { Refusal } from "../kernel/refusal.ts";
import { createHost } from "./create-host.ts";
import type { Host } from "./host.ts";
import { loadConfig } from "./load-config.ts";
import { openEvidence } from "./open-evidence.ts";

const SERVER = fileURLToPath(new URL("../../test/fixtures/steered-server.mjs", import.meta.url));

export interface EvidenceSeen {
  readonly event_type: string;
  readonly payload: Readonly<Record<string, any>>;
}

export interface Place {
  readonly dir: string;
  readonly workDir: string;
  /** Writes a bundle's folder anew; returns its path. */
  bundle(name: string, more?: object, env?: Readonly<Record<string, string>>): string;
  /** The process ids of a bundle's starts. */
  marks(name: string): readonly number[];
  /** Lets the calls of `slow` be answered. */
  release(name: string): void;
  configure(config: object | string): void;
  configured(): Record<string, unknown> & { readonly bundles: readonly Record<string, unknown>[] };
  evidence(type?: string): readonly EvidenceSeen[];
  start(): Promise<WholeHost>;
}

export interface HeardEvent {
  readonly id: number;
  readonly type: string;
  readonly data: Readonly<Record<string, any>>;
}

export interface WholeHost extends Host {
  readonly origin: string;
  /** The owner's. */
  readonly key: string;
  rest(
    method: string,
    path: string,
    body?: object,
    headers?: Readonly<Record<string, string>>,
  ): Promise<{ readonly status: number; readonly json: any }>;
  /** What `GET /v1/events` says, after that event or from now on; it fills while the test runs. */
  follow(after?: number): Promise<readonly HeardEvent[]>;
  stateOf(name: string): string | null;
  until(name: string, state: string): Promise<void>;
}

/** What a manifest says that requires these host extensions. */
export const requires = (...keys: readonly string[]): object => ({
  _meta: {
    "ai.nimblebrain/host": {
      host_version: "1.1",
      host_capabilities: Object.fromEntries(keys.map((key) => [key, { required: true }])),
    },
  },
});

export const makePlace = (): Place => {
  const dir = mkdtempSync(join(tmpdir(), "bailiwick-whole-"));
  const workDir = join(dir, "work");
  const file = join(dir, "bailiwick.json");
  onTestFinished(() => rmSync(dir, { recursive: true, force: true, maxRetries: 5 }));
  const place: Place = {
    dir,
    workDir,
    bundle(name, more = {}, env = {}) {
      const path = join(dir, name);
      const settings = {
        STEERED_MARK: join(dir, `${name}.marks`),
        STEERED_RELEASE: join(dir, `${name}.release`),
        ...env,
      };
      mkdirSync(path, { recursive: true });
      writeFileSync(join(path, "manifest.json"), JSON.stringify({ ...manifestOf(name, settings), ...more }));
      return path;
    },
    marks(name) {
      try {
        return readFileSync(join(dir, `${name}.marks`), "utf8")
          .trim()
          .split("\n")
          .map(Number);
      } catch {
        return [];
      }
    },
    release: (name) => writeFileSync(join(dir, `${name}.release`), ""),
    configure(config) {
      const base = { workDir: "work", noDefaultBundles: true };
      writeFileSync(file, typeof config === "string" ? config : JSON.stringify({ ...base, ...config }));
    },
    configured: () => JSON.parse(readFileSync(file, "utf8")) as ReturnType<Place["configured"]>,
    evidence(type) {
      const opened = openEvidence(workDir);
      const events = [...opened.range(1, opened.last())].map((line) => JSON.parse(line) as EvidenceSeen);
      opened.close();
      return type === undefined ? events : events.filter(({ event_type }) => event_type === `dev.bailiwick.${type}`);
    },
    start: () => startHost(file),
  };
  return place;
};

/** Keeps evidence from being written, as a foreign program could. */
export const holdEvidence = (place: Place): (() => void) => {
  const other = new DatabaseSync(join(place.workDir, "evidence.db"), { timeout: 5_000 });
  other.exec("BEGIN IMMEDIATE");
  const release = (): void => {
    if (other.isOpen) other.close();
  };
  onTestFinished(release);
  return release;
};

const manifestOf = (name: string, env: object): object => ({
  manifest_version: "0.3",
  name,
  version: "1.0.0",
  description: "for tests",
  author: { name: "tests" },
  server: { type: "node", entry_point: "server.mjs", mcp_config: { command: "node", args: [SERVER], env } },
});

const startHost = async (file: string): Promise<WholeHost> => {
  const bugs: unknown[] = [];
  const loaded = loadConfig({ configFlag: file, env: {}, cwd: tmpdir(), home: tmpdir() });
  const host = await createHost({ loaded, env: process.env, report: (bug) => bugs.push(bug) });
  let stopping: Promise<void> | null = null;
  const stop = (): Promise<void> => (stopping ??= host.stop());
  onTestFinished(async () => {
    await stop();
    const bug = bugs.find((each) => !(each instanceof Refusal && each.kind === "evidence_unavailable"));
    if (bug !== undefined) throw new Error("the host reported a bug", { cause: bug });
  });
  const { origin } = await host.listen({ port: 0 });
  await host.start();
  const key = readFileSync(join(host.workDir, "owner.key"), "utf8").trim();
  const stateOf = (name: string): string | null =>
    host.providers().find((provider) => provider.name === name)?.status.state ?? null;
  return {
    ...host,
    stop,
    origin,
    key,
    stateOf,
    until: (name, state) => until(() => stateOf(name) === state),
    follow: (after) => followEvents(origin, { authorization: `Bearer ${key}` }, after),
    async rest(method, path, body, more = {}) {
      const headers = { authorization: `Bearer ${key}`, "content-type": "application/json", ...more };
      const answer = await fetch(origin + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
      const text = await answer.text();
      const said = { status: answer.status, json: JSON.parse(text) as Json };
      const type = answer.headers.get("content-type") ?? "";
      if (path.startsWith("/chp/")) holdToSchemas(path.slice("/chp".length), { ...said, type, text });
      return said;
    },
  };
};

const followEvents = async (
  origin: string,
  headers: Readonly<Record<string, string>>,
  after?: number,
): Promise<readonly HeardEvent[]> => {
  const heard: HeardEvent[] = [];
  const ending = new AbortController();
  onTestFinished(() => ending.abort());
  const parser = createParser({
    onEvent: ({ id, event = "", data }) =>
      heard.push({ id: Number(id), type: event, data: JSON.parse(data) as HeardEvent["data"] }),
  });
  const last = after === undefined ? {} : { "last-event-id": String(after) };
  const { body } = await fetch(`${origin}/v1/events`, { headers: { ...headers, ...last }, signal: ending.signal });
  void (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of body ?? []) parser.feed(decoder.decode(chunk, { stream: true }));
  })().catch(() => {});
  return heard;
};
