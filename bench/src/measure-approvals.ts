/**
 * Calls that need an approval and whose callers do not wait: what they leave in the host when everybody has gone.
 */
import { existsSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { overChp, startHost } from "./bailiwick.ts";
import { writeEcho } from "./echo-call.ts";
import type { ApprovalsFinding } from "./findings.ts";
import { program } from "./places.ts";
import type { Resources } from "./resource-probe.ts";
import { openSession } from "./session.ts";
import type { Target } from "./target.ts";
import type { Timing } from "./timing.ts";

/** The host lets one principal have no more than this pending. */
const EACH = 200;
const SETTLE_MS = 5000;

interface Held extends Resources {
  readonly sockets: number;
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const settingsFor = (askers: number): object => ({
  approvals: { waitSeconds: 0 },
  auth: { chpKeys: Array.from({ length: askers }, (_, index) => `asker-${index}:key-${index}`) },
  policy: { rules: [{ id: "ask", match: { principals: ["service:asker-*"] }, effect: "require_approval" }] },
});

const countSockets = (pid: number): number => {
  const directory = `/proc/${pid}/fd`;
  if (!existsSync(directory)) return 0;
  const isSocket = (name: string): boolean => {
    try {
      return readlinkSync(join(directory, name)).startsWith("socket:");
    } catch {
      return false; // It was closed while we looked.
    }
  };
  return readdirSync(directory).filter(isSocket).length;
};

const look = async (pid: number, home: string): Promise<Held> => {
  const file = join(home, "resources.json");
  rmSync(file, { force: true });
  process.kill(pid, "SIGUSR2");
  const until = Date.now() + SETTLE_MS;
  while (!existsSync(file)) {
    if (Date.now() > until) throw new Error("the host did not say what it holds");
    await pause(10);
  }
  return { ...(JSON.parse(readFileSync(file, "utf8")) as Resources), sockets: countSockets(pid) };
};

/** Connections that were just closed are given time to go. */
const settle = async (pid: number, home: string, before: Held | null): Promise<Held> => {
  const until = Date.now() + SETTLE_MS;
  await pause(1500);
  for (;;) {
    const held = await look(pid, home);
    const isBack = before !== null && held.sockets <= before.sockets && held.timers <= before.timers;
    if (isBack || before === null || Date.now() > until) return held;
    await pause(100);
  }
};

/** Calls of one principal, one after the other, each of which must end as pending. */
const ask = async (target: Target, asker: number, ids: readonly number[]): Promise<void> => {
  const session = await openSession({ ...target, headers: { "x-chp-key": `asker-${asker}:key-${asker}` } });
  const lane = session.openLane();
  for (const id of ids) {
    const answer = await lane.send(id, writeEcho(target, { id, text: `approve ${id}` }));
    const { denial } = JSON.parse(answer) as { denial?: { code?: unknown } | null };
    if (denial?.code !== "approval_required") throw new Error(`wrong answer: ${answer.slice(0, 300)}`);
  }
  lane.close();
};

export const measureApprovals = async (home: string, timing: Timing): Promise<ApprovalsFinding> => {
  const askers = timing.pending / EACH;
  const nodeArgs = ["--import", pathToFileURL(program("resource-probe")).href];
  const { target, launched } = await startHost({ home, nodeArgs, settings: settingsFor(askers) });
  const { pid } = launched;
  const chp = overChp(target);
  let next = 1_000_000;
  const askAll = async (each: number): Promise<void> => {
    const order = Array.from({ length: askers }, () => Array.from({ length: each }, () => ++next));
    await Promise.all(order.map((ids, asker) => ask(chp, asker, ids)));
  };
  // What is made once, with the first of them, is no price of the others.
  await askAll(1);
  const before = await settle(pid, home, null);
  await askAll(EACH - 1);
  const after = await settle(pid, home, before);
  const pending = askers * (EACH - 1);
  return {
    pending,
    sockets: Math.max(0, after.sockets - before.sockets),
    timers: Math.max(0, after.timers - before.timers),
    bytesEach: (after.usedBytes - before.usedBytes) / pending,
  };
};
