/**
 * Where the host's time goes: one run under V8's sampling profiler at 64 in flight, self time added up by room. Node's own
 * code is charged to the nearest room above it on the stack; where there is none, it is the door's sockets and the loop.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { startHost } from "./bailiwick.ts";
import type { ProfileFinding } from "./findings.ts";
import type { Load } from "./load.ts";
import { measure } from "./measure.ts";
import type { Timing } from "./timing.ts";

export interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string };
    readonly children?: readonly number[];
  }[];
  /** µs of the monotonic clock. */
  readonly startTime: number;
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

export type Window = Pick<Load, "fromMicros" | "toMicros" | "calls">;

interface Place {
  readonly where: string;
  readonly own: boolean;
}

const IDLE = "(idle)";

/** `call/evidence` of `…/host/dist/call/evidence/x.js`; null for what is not the host's. */
const roomOf = (url: string): string | null => {
  const path = /\/host\/(?:dist|src)\/(.+)$/.exec(url)?.[1] ?? (url.includes("/contract/") ? "contract/x" : null);
  if (path !== null)
    return (
      path
        .split("/")
        .slice(0, -1)
        .slice(0, path.startsWith("call/") ? 2 : 1)
        .join("/") || "."
    );
  const named = /\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1];
  return named === undefined ? null : `package ${named}`;
};

const placeNodes = (profile: CpuProfile): Map<number, Place> => {
  const byId = new Map(profile.nodes.map((node) => [node.id, node]));
  const places = new Map<number, Place>();
  const visit = (id: number, above: string | null): void => {
    const node = byId.get(id);
    if (node === undefined) return;
    const { functionName, url } = node.callFrame;
    const room = roomOf(url);
    const special = /^\((idle|program|garbage collector)\)$/.test(functionName);
    places.set(
      id,
      special ? { where: functionName, own: true } : { where: room ?? above ?? "node", own: room !== null },
    );
    for (const child of node.children ?? []) visit(child, room ?? above);
  };
  const root = profile.nodes[0];
  if (root !== undefined) visit(root.id, null);
  return places;
};

export const summarise = (thread: string, profile: CpuProfile, window: Window): ProfileFinding => {
  const places = placeNodes(profile);
  const rows = new Map<string, { own: number; node: number }>();
  let at = profile.startTime;
  profile.samples.forEach((id, index) => {
    // A delta is the time since the sample before: it is that sample's.
    const spent = profile.timeDeltas[index + 1] ?? 0;
    at += profile.timeDeltas[index] ?? 0;
    const place = places.get(id);
    if (place === undefined || at < window.fromMicros || at > window.toMicros) return;
    const row = rows.get(place.where) ?? { own: 0, node: 0 };
    row[place.own ? "own" : "node"] += spent;
    rows.set(place.where, row);
  });
  const total = [...rows.values()].reduce((sum, row) => sum + row.own + row.node, 0);
  const idle = rows.get(IDLE)?.own ?? 0;
  rows.delete(IDLE);
  return {
    thread,
    busyShare: total === 0 ? 0 : (total - idle) / total,
    rows: [...rows]
      .map(([where, row]) => ({ where, ownMicros: row.own / window.calls, nodeMicros: row.node / window.calls }))
      .toSorted((a, b) => b.ownMicros + b.nodeMicros - a.ownMicros - a.nodeMicros),
  };
};

export const profileHost = async (home: string, timing: Timing): Promise<ProfileFinding[]> => {
  const directory = join(home, "profiles");
  const nodeArgs = ["--cpu-prof", `--cpu-prof-dir=${directory}`];
  const { target, launched } = await startHost({ home, nodeArgs });
  const job = { target, work: { kind: "call" }, inFlight: 64, ...timing, rootPid: launched.pid } as const;
  const load = await measure(job);
  await launched.stop();
  const files = readdirSync(directory).toSorted();
  if (files.length === 0) throw new Error(`the host left no profile; it said: ${launched.lastWords()}`);
  return files.map((file) => {
    const profile = JSON.parse(readFileSync(join(directory, file), "utf8")) as CpuProfile;
    // CPU.<date>.<time>.<pid>.<thread>.<n>.cpuprofile
    const thread = file.split(".")[4] === "0" ? "main thread" : `worker ${file.split(".")[4]}`;
    return summarise(thread, profile, load);
  });
};
