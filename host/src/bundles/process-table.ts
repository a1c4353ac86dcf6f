/**
 * Looks processes up in `/proc`, so that a number that now belongs to somebody else is never taken for ours. Where there is
 * no `/proc` it knows groups only.
 */
import { readdirSync, readFileSync } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import { brandOf } from "./brand-of.ts";
import { MARKER_VARIABLE } from "./child-environment.ts";

/** A process group the host started. `pgid` 0: not known (yet). `born`: its start time in ticks, "" when unknown. */
export interface Spawned {
  readonly marker: string;
  readonly pgid: number;
  readonly born: string;
}

export interface Row {
  readonly pid: number;
  readonly parent: number;
  readonly zombie: boolean;
  readonly pgid: number;
  readonly born: string;
}

/** The name in parentheses may hold anything, even `) `; what follows the last of them is plain fields. */
const parseStat = (pid: number, text: string): Row | null => {
  const fields = text.slice(text.lastIndexOf(") ") + 2).split(" ");
  const born = fields[19];
  if (born === undefined) return null;
  const zombie = fields[0] === "Z" || fields[0] === "X";
  return { pid, zombie, parent: Number(fields[1]), pgid: Number(fields[2]), born };
};

/** Start time of a process; "" when it is gone or cannot be known. */
export const bornOf = (pid: number): string => {
  try {
    return parseStat(pid, readFileSync(`/proc/${pid}/stat`, "utf8"))?.born ?? "";
  } catch {
    return "";
  }
};

/** Whether that very process runs; one that ended and was not yet collected does not. */
export const isRunning = (pid: number, born: string): boolean => {
  try {
    const row = parseStat(pid, readFileSync(`/proc/${pid}/stat`, "utf8"));
    return row !== null && !row.zombie && row.born === born;
  } catch {
    return false;
  }
};

/** Changes with every boot of the machine: start times are comparable within one only. */
export const bootId = (): string => {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    return "";
  }
};

const listPids = (): number[] | null => {
  try {
    const pids = readdirSync("/proc")
      .map(Number)
      .filter((pid) => pid > 0);
    return pids.length === 0 ? null : pids;
  } catch {
    return null;
  }
};

const readRow = (pid: number): Row | null => {
  try {
    return parseStat(pid, readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return null;
  }
};

/** As text, because that is read natively in one piece; what is wanted is plain ASCII. */
const holds = (file: string, wanted: string): boolean => {
  try {
    return readFileSync(file, "utf8").includes(wanted);
  } catch {
    return false;
  }
};

/** So many are read before others get a turn; it takes about a millisecond. */
const AT_ONCE = 64;

/** These files never wait for a disk, so they are read synchronously: asynchronously each costs a buffer of 64 KiB. */
const mapInBatches = async <T, R>(items: readonly T[], map: (item: T) => R): Promise<R[]> => {
  const results: R[] = [];
  for (let start = 0; start < items.length; start += AT_ONCE) {
    for (const item of items.slice(start, start + AT_ONCE)) results.push(map(item));
    await nextTurn();
  }
  return results;
};

/** All that run; null where there is no `/proc`. Zombies do not count. */
export const listProcesses = async (): Promise<readonly Row[] | null> => {
  const pids = listPids();
  return pids && (await mapInBatches(pids, readRow)).filter((row): row is Row => row !== null && !row.zombie);
};

/** Those of them that carry the marker in their environment, or its brand. */
export const findMarked = async (rows: readonly Row[], marker: string): Promise<readonly Row[]> => {
  const variable = `${MARKER_VARIABLE}=${marker}`;
  const brand = ` ${brandOf(marker)} `;
  const found = await mapInBatches(
    rows,
    ({ pid }) => holds(`/proc/${pid}/limits`, brand) || holds(`/proc/${pid}/environ`, variable),
  );
  return rows.filter((_, index) => found[index] === true);
};

export const isGroupAlive = (pgid: number): boolean => {
  if (pgid <= 0) return false;
  try {
    process.kill(-pgid, 0);
    return true;
  } catch {
    return false;
  }
};
