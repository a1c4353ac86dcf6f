/**
 * What a process and everything below it cost, read from /proc. CPU time counts children that have ended and were waited
 * for, so the sum never falls. Elsewhere than on Linux there is nothing to read, and the answer is null.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";

/** A process, told from a later one of the same number by when it began. */
export interface ProcessMark {
  readonly pid: number;
  readonly began: string;
}

export interface TreeCost {
  readonly processes: readonly ProcessMark[];
  readonly cpuMicros: number;
  readonly rootRssBytes: number;
  readonly treeRssBytes: number;
}

interface Stat {
  readonly parent: number;
  readonly ticks: number;
  readonly began: string;
}

/** USER_HZ, which Linux fixes at 100 for what /proc shows. */
const TICK_MICROS = 10_000;

const readText = (path: string): string | null => {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return null; // It ended while we looked.
  }
};

const readStat = (pid: number): Stat | null => {
  const text = readText(`/proc/${pid}/stat`);
  if (text === null) return null;
  // The program's name stands in brackets and may hold anything; counting starts behind it.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const ticks = [11, 12, 13, 14].reduce((sum, index) => sum + Number(fields[index]), 0);
  return fields[0] === "Z" ? null : { parent: Number(fields[1]), ticks, began: fields[19] ?? "" };
};

/** False once it has ended, though its parent may not have noticed yet. */
export const isAlive = ({ pid, began }: ProcessMark): boolean => readStat(pid)?.began === began;

const readRss = (pid: number): number => {
  const match = /^VmRSS:\s+(\d+) kB/m.exec(readText(`/proc/${pid}/status`) ?? "");
  return match === null ? 0 : Number(match[1]) * 1024;
};

const readAll = (): Map<number, Stat> => {
  const all = new Map<number, Stat>();
  for (const name of readdirSync("/proc")) {
    const pid = Number(name);
    if (!Number.isInteger(pid)) continue;
    const stat = readStat(pid);
    if (stat !== null) all.set(pid, stat);
  }
  return all;
};

export const readTree = (root: number): TreeCost | null => {
  if (!existsSync("/proc/self/stat")) return null;
  const all = readAll();
  const pids = all.has(root) ? [root] : [];
  for (const pid of pids) {
    for (const [child, stat] of all) if (stat.parent === pid) pids.push(child);
  }
  return {
    processes: pids.map((pid) => ({ pid, began: all.get(pid)?.began ?? "" })),
    cpuMicros: pids.reduce((sum, pid) => sum + (all.get(pid)?.ticks ?? 0), 0) * TICK_MICROS,
    rootRssBytes: readRss(root),
    treeRssBytes: pids.reduce((sum, pid) => sum + readRss(pid), 0),
  };
};
