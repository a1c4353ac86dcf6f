/**
 * Reads of the documents of `capabilities://` of a host with many tools and generators: the first of each, many more, and the
 * first after a bundle's list has changed. Each is timed twice, where the document is made and at the client.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { spawnHost, targetOf } from "./bailiwick.ts";
import { writeBundles, writePlugins } from "./compose-place.ts";
import type { ReadsFinding } from "./findings.ts";
import { type McpClient, openClient } from "./mcp-client.ts";
import { median } from "./median.ts";
import { program } from "./places.ts";
import { shareOf } from "./share-of.ts";
import type { Timing } from "./timing.ts";
import { untilListening } from "./until-listening.ts";

const TOOLS = 1000;
const BUNDLES = 10;
const PLUGINS = 45;
const CHANGES = 5;
const PATIENCE_MS = 30_000;

/** What a document is to take when it is read for the first time. */
const DOCUMENTS: readonly Pick<DocumentFinding, "uri" | "targetMs">[] = [
  { uri: "capabilities://server", targetMs: 50 },
  { uri: "capabilities://tools", targetMs: 100 },
  { uri: "capabilities://resources", targetMs: 50 },
  { uri: "capabilities://generators", targetMs: 50 },
  { uri: "capabilities://host", targetMs: null },
  { uri: "capabilities://skills", targetMs: null },
  { uri: "capabilities://", targetMs: null },
];

type DocumentFinding = ReadsFinding["documents"][number];
type When = "cold" | "warm" | "changed";

interface Read {
  readonly uri: string;
  readonly when: When;
  readonly ms: number;
}

const until = async (what: string, isSo: () => Promise<boolean>): Promise<void> => {
  const end = performance.now() + PATIENCE_MS;
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error(`${what}: not within ${PATIENCE_MS / 1000} s`);
    await pause(20);
  }
};

const listed = async (client: McpClient): Promise<number> =>
  (await client.ask("tools/list")).text.split('"name":"lists-').length - 1;

const readAll = async (client: McpClient, timing: Timing): Promise<readonly Read[]> => {
  const reads: Read[] = [];
  const read = async (uri: string, when: When): Promise<void> => {
    const { text, ms } = await client.ask("resources/read", { uri });
    if (!text.includes('"contents"')) throw new Error(`${uri} was answered ${text.slice(0, 300)}`);
    reads.push({ uri, when, ms });
  };
  for (const { uri } of DOCUMENTS) await read(uri, "cold");
  for (let round = 0; round < timing.reads; round++) for (const { uri } of DOCUMENTS) await read(uri, "warm");
  let tools = TOOLS;
  for (let round = 0; round < CHANGES; round++) {
    for (const { uri } of DOCUMENTS) {
      await client.call(`lists-${++tools % BUNDLES}__look-up-0`, { name: "x" });
      await until("one more tool", async () => (await listed(client)) === tools);
      await read(uri, "changed");
    }
  }
  return reads;
};

/** `made`: of the same reads, in the same order. */
const findingOf = (
  { uri, targetMs }: (typeof DOCUMENTS)[number],
  reads: readonly Read[],
  made: readonly number[],
): DocumentFinding => {
  const pick = (when: When): { readonly made: number[]; readonly sent: number[] } => {
    const picked = reads.flatMap((read, at) => (read.uri === uri && read.when === when ? [at] : []));
    return { made: picked.map((at) => made[at] ?? Number.NaN), sent: picked.map((at) => reads[at]?.ms ?? Number.NaN) };
  };
  const warm = pick("warm");
  const costOf = (of: "made" | "sent"): DocumentFinding["made"] => ({
    coldMs: median(pick("cold")[of]),
    p50Ms: shareOf(warm[of], 0.5),
    p99Ms: shareOf(warm[of], 0.99),
    changedMs: median(pick("changed")[of]),
  });
  return { uri, targetMs, made: costOf("made"), sent: costOf("sent") };
};

export const measureReads = async (home: string, timing: Timing): Promise<ReadsFinding> => {
  const workDir = join(home, "work");
  writePlugins(workDir, PLUGINS);
  const host = await spawnHost({
    home,
    workDir,
    settings: { bundles: writeBundles(home, { bundles: BUNDLES, tools: TOOLS }) },
    nodeArgs: ["--import", program("note-reads")],
  });
  const from = performance.now();
  await untilListening(host);
  const client = await openClient(targetOf(host));
  const { text } = await client.call("compose__list_generators", {});
  const describedMs = performance.now() - from;
  const generators = Number(/"total_count":(\d+)/.exec(text.replaceAll("\\", ""))?.[1]);
  if (generators !== PLUGINS + 5) throw new Error(`there are ${generators} generators: ${text.slice(0, 300)}`);
  await until("all tools", async () => (await listed(client)) === TOOLS);
  const reads = await readAll(client, timing);
  await client.close();
  await host.launched.stop();
  const made = JSON.parse(readFileSync(join(home, "reads.json"), "utf8")) as number[];
  if (made.length !== reads.length) throw new Error(`${reads.length} reads were made, ${made.length} noted`);
  return {
    tools: TOOLS,
    generators,
    describedMs,
    documents: DOCUMENTS.map((document) => findingOf(document, reads, made)),
  };
};
