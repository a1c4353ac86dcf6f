/**
 * What is left of a process group and of all that came of it: its members, those that carry its marker or its brand, and
 * whatever any of them started. The brand alone finds all; the rest is for a machine where there is none. There each look
 * remembers what it found, so that one whose parents end is still known by the next, but one that left the group, emptied its
 * environment and lost its parents before the first look is found by nobody.
 */
import { findMarked, isGroupAlive, listProcesses, type Row, type Spawned } from "./process-table.ts";

export class Survivors {
  readonly #spawned: Spawned;
  /** Start times by pid. */
  #known: ReadonlyMap<number, string> = new Map();

  constructor(spawned: Spawned) {
    this.#spawned = spawned;
  }

  /** Pids to signal, or `-pgid` where there is no `/proc`. */
  async find(): Promise<readonly number[]> {
    const { pgid, marker } = this.#spawned;
    const rows = (await listProcesses())?.filter(({ pid }) => pid !== process.pid);
    if (rows === undefined) return isGroupAlive(pgid) ? [-pgid] : [];
    const marked = new Set(await findMarked(rows, marker));
    const isMember = this.#memberTest(rows);
    const found = withDescendants(
      rows,
      rows.filter((row) => isMember(row) || marked.has(row) || this.#known.get(row.pid) === row.born),
    );
    this.#known = new Map(found.map(({ pid, born }) => [pid, born]));
    return [...this.#known.keys()];
  }

  /** A group whose leader started at another time only has the number. */
  #memberTest(rows: readonly Row[]): (row: Row) => boolean {
    const { pgid, born } = this.#spawned;
    const leader = rows.find(({ pid }) => pid === pgid);
    const isOurs = pgid > 0 && (leader === undefined || leader.born === born);
    return (row) => isOurs && row.pgid === pgid;
  }
}

const withDescendants = (rows: readonly Row[], roots: readonly Row[]): readonly Row[] => {
  const children = Map.groupBy(rows, ({ parent }) => parent);
  const found = new Set(roots);
  // A set that grows is walked to its new end.
  for (const { pid } of found) for (const child of children.get(pid) ?? []) found.add(child);
  return [...found];
};
