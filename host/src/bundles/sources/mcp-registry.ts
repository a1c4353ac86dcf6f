/** An MCP registry over HTTP, version 0.1 of its API. */
import { isObject } from "../shapes.ts";
import { compareVersions } from "./compare-versions.ts";
import { chooseServer } from "./choose-server.ts";
import { readJson, type ReadJsonOptions } from "./read-json.ts";
import { registryUrl, shownUrl } from "./registry-url.ts";
import { textOf } from "./registry-json.ts";
import { NO_TRUST, type Found, type Registry } from "./registry.ts";

export interface McpRegistryOptions extends Omit<ReadJsonOptions, "signal"> {
  readonly url: string;
}

const NAME = /^[A-Za-z0-9][A-Za-z0-9.-]*\/[A-Za-z0-9._-]+$/;
/** A registry lists every version; more pages than this are not turned for one search. */
const MAX_PAGES = 5;

export const createMcpRegistry = (options: McpRegistryOptions): Registry => {
  const label = `mcp ${shownUrl(options.url)}`;
  const ask = (
    path: string,
    query: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): ReturnType<typeof readJson> => readJson(registryUrl(options.url, path, query), { ...options, signal });
  return {
    label,
    async find({ name, version }, signal) {
      if (!NAME.test(name)) return null;
      const path = `/v0.1/servers/${encodeURIComponent(name)}/versions/${encodeURIComponent(version ?? "latest")}`;
      const answer = await ask(path, {}, signal);
      if (answer === null) return null;
      return chooseServer(serverOf(answer), { name, version, registry: label });
    },
    async search(query, limit, signal) {
      const newest = new Map<string, Found>();
      let cursor: string | null = null;
      for (let page = 0; page < MAX_PAGES; page++) {
        const asked = { search: query, limit: String(limit), ...(cursor === null ? {} : { cursor }) };
        const answer: Record<string, unknown> | null = await ask("/v0.1/servers", asked, signal);
        const servers: unknown = answer?.["servers"];
        if (!Array.isArray(servers)) throw new Error("its answer has no list of servers");
        for (const each of servers.slice(0, limit)) collect(each, label, newest);
        const { metadata } = answer ?? {};
        cursor = isObject(metadata) ? textOf(metadata["nextCursor"], 1_000) : null;
        if (cursor === null || cursor === "" || newest.size >= limit) break;
      }
      return [...newest.values()].slice(0, limit);
    },
  };
};

const serverOf = (answer: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  isObject(answer["server"]) ? answer["server"] : answer;

const collect = (each: unknown, registry: string, newest: Map<string, Found>): void => {
  if (!isObject(each)) return;
  const server = serverOf(each);
  const name = textOf(server["name"], 214);
  if (name === null || name === "") return;
  const version = textOf(server["version"], 100);
  const before = newest.get(name);
  if (before !== undefined && compareVersions(version ?? "", before.version ?? "") <= 0) return;
  newest.set(name, {
    name,
    version,
    description: textOf(server["description"], 500),
    registry,
    ...NO_TRUST,
    tools: [],
  });
};
