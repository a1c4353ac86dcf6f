/**
 * A host started on an empty work directory, several times: until it listens, until it lists, and what it holds when idle.
 */
import { join } from "node:path";
import { spawnHost, targetOf } from "./bailiwick.ts";
import type { StartFinding } from "./findings.ts";
import { median } from "./median.ts";
import { readTree } from "./process-tree.ts";
import { openSession } from "./session.ts";
import type { Timing } from "./timing.ts";
import { untilListening } from "./until-listening.ts";

const PATIENCE_MS = 15_000;
const IDLE_MS = 2000;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const startOnce = async (home: string): Promise<StartFinding> => {
  const from = performance.now();
  const since = (): number => performance.now() - from;
  const host = await spawnHost({ home });
  await untilListening(host);
  const listeningMs = since();
  const target = targetOf(host);
  const session = await openSession(target);
  const lane = session.openLane();
  let firstListMs: number | null = null;
  let id = 1;
  for (;;) {
    const answer = await lane.send(id, `{"jsonrpc":"2.0","id":${id++},"method":"tools/list"}`);
    firstListMs ??= since();
    if (answer.includes(`"${target.tool}"`)) break;
    if (since() > PATIENCE_MS) throw new Error(`${target.tool} was not listed within ${PATIENCE_MS / 1000} s`);
    await pause(5);
  }
  const firstToolMs = since();
  lane.close();
  await session.close();
  await pause(IDLE_MS);
  const tree = readTree(host.launched.pid);
  await host.launched.stop();
  return {
    listeningMs,
    firstListMs,
    firstToolMs,
    idleRssBytes: tree?.rootRssBytes ?? 0,
    idleTreeRssBytes: tree?.treeRssBytes ?? 0,
  };
};

export const measureStart = async (home: string, timing: Timing): Promise<StartFinding> => {
  const starts: StartFinding[] = [];
  for (let i = 0; i < timing.starts; i++) starts.push(await startOnce(join(home, String(i))));
  const middle = (key: keyof StartFinding): number => median(starts.map((start) => start[key]));
  return {
    listeningMs: middle("listeningMs"),
    firstListMs: middle("firstListMs"),
    firstToolMs: middle("firstToolMs"),
    idleRssBytes: middle("idleRssBytes"),
    idleTreeRssBytes: middle("idleTreeRssBytes"),
  };
};
