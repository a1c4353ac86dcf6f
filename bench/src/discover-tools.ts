/**
 * A host in this process with 10,000 tools of real bundles, whose `nb__discover_tools` is asked the committed questions: what
 * the tool itself takes, without the gates and the evidence around it, and what the first search takes after a bundle's list
 * has changed. Argument: a folder of its own.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { DiscoverFinding } from "./findings.ts";
import { importHost } from "./import-host.ts";
import { median } from "./median.ts";
import { program } from "./places.ts";
import { type CorpusTool, readLists, readQuestions, repeatLists } from "./search-corpus.ts";
import { shareOf } from "./share-of.ts";

const TOOLS = 10_000;
const BUNDLES = 10;
const ROUNDS = 5;
const CHANGES = 10;
const PATIENCE_MS = 30_000;

interface Found {
  readonly structuredContent?: { readonly tools: readonly object[] };
}
interface Host {
  start(): Promise<void>;
  stop(): Promise<void>;
  tools(): readonly { readonly name: string; readonly provider: string }[];
  call(name: string, args: object): Promise<{ readonly ending: { readonly kind: string; readonly json?: string } }>;
}
interface Sender {
  send: (this: Sender, request: object) => Promise<unknown>;
}

const [home = ""] = process.argv.slice(2);
const { createHost } = await importHost<{ createHost: (config: object) => Promise<Host> }>("index");
const { createBuiltIn } = await importHost<{ createBuiltIn: (options: object) => Sender }>("kernel/built-in");

/** The host's own tools are called through here and nowhere else. */
const timeOwnTools = (took: (ms: number) => void): void => {
  const prototype = Object.getPrototypeOf(createBuiltIn({ name: "none", version: "0", tools: [] })) as Sender;
  const { send } = prototype;
  prototype.send = async function (request) {
    const from = performance.now();
    try {
      return await send.call(this, request);
    } finally {
      took(performance.now() - from);
    }
  };
};

const wireTool = ({ name, title, description, properties }: CorpusTool, index: number): object => ({
  name: `${name.slice(name.indexOf("__") + 2)}-${index}`,
  ...(title === null ? {} : { title }),
  description,
  inputSchema: { type: "object", properties: Object.fromEntries(properties.map((key) => [key, {}])) },
});

const writeBundles = (): object[] => {
  const tools = repeatLists(readLists(), TOOLS).flatMap((list) => list.tools);
  return Array.from({ length: BUNDLES }, (_, index) => {
    const name = `lists-${index}`;
    const directory = join(home, name);
    mkdirSync(directory, { recursive: true });
    const file = join(directory, "tools.json");
    const own = tools.slice((index * TOOLS) / BUNDLES, ((index + 1) * TOOLS) / BUNDLES);
    writeFileSync(file, JSON.stringify(own.map(wireTool)));
    const mcp = { command: process.execPath, args: [program("list-server"), file] };
    const server = { type: "node", entry_point: "tools.json", mcp_config: mcp };
    const manifest = { manifest_version: "0.3", name, version: "1.0.0", description: name, author: { name: "bench" } };
    writeFileSync(join(directory, "manifest.json"), JSON.stringify({ ...manifest, server }));
    return { path: directory, serverName: name };
  });
};

const countTools = (host: Host): number => host.tools().filter(({ provider }) => provider.startsWith("lists-")).length;

const whenListed = async (host: Host, count: number): Promise<void> => {
  const until = performance.now() + PATIENCE_MS;
  while (countTools(host) < count) {
    if (performance.now() > until) throw new Error(`${countTools(host)} of ${count} tools were listed in time`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
};

const measure = async (host: Host, times: number[]): Promise<DiscoverFinding> => {
  const { tuned, unseen } = readQuestions();
  const queries = [...tuned, ...unseen].map(({ query }) => query);
  const ask = async (query: string): Promise<number> => {
    times.length = 0;
    const { ending } = await host.call("nb__discover_tools", { query });
    const { structuredContent: found } = JSON.parse(ending.json ?? "{}") as Found;
    if (found === undefined) throw new Error(`"${query}" was answered otherwise: ${ending.json ?? ending.kind}`);
    return times[0] ?? Number.NaN;
  };
  const firstMs = await ask(queries[0] ?? "");
  for (const query of queries) await ask(query);
  const asked: number[] = [];
  for (let round = 0; round < ROUNDS; round++) for (const query of queries) asked.push(await ask(query));
  const changed: number[] = [];
  for (let change = 1; change <= CHANGES; change++) {
    const first = host.tools().find(({ provider }) => provider === `lists-${change % BUNDLES}`);
    await host.call(first?.name ?? "", {});
    await whenListed(host, TOOLS + change);
    changed.push(await ask(queries[change] ?? ""));
  }
  return {
    tools: TOOLS,
    bundles: BUNDLES,
    p50Ms: shareOf(asked, 0.5),
    p99Ms: shareOf(asked, 0.99),
    firstMs,
    changedMs: median(changed),
  };
};

const times: number[] = [];
timeOwnTools((ms) => void times.push(ms));
mkdirSync(home, { recursive: true });
const host = await createHost({
  bundles: writeBundles(),
  noDefaultBundles: true,
  workDir: join(home, "work"),
  evidence: { durability: "batched" },
});
try {
  await host.start();
  await whenListed(host, TOOLS);
  process.stdout.write(`${JSON.stringify(await measure(host, times))}\n`);
} finally {
  await host.stop();
}
