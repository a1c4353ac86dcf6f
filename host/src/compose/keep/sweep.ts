/**
 * What goes by itself, once a day and soon after the start: versions that are older than they are kept for, but for the latest
 * of each content, and drafts that nobody changed for 30 days, with what was made of them.
 */
import type { Workbench } from "../workbench.ts";

const DAY_MS = 86_400_000;
const FIRST_MS = 60_000;

export interface SweepOptions extends Pick<Workbench, "versions" | "drafts" | "changed"> {
  /** How long versions are kept, as it is now. */
  readonly days: () => number;
  readonly everyMs?: number;
  readonly report: (error: unknown) => void;
}

/** What is given back ends it, and resolves when nothing of it runs any more. */
export const startSweep = (options: SweepOptions): (() => Promise<void>) => {
  let running: Promise<void> | null = null;
  const begin = (): void => {
    running ??= sweep(options)
      .catch(options.report)
      .finally(() => (running = null));
  };
  const first = setTimeout(begin, FIRST_MS).unref();
  const daily = setInterval(begin, options.everyMs ?? DAY_MS).unref();
  return async () => {
    clearTimeout(first);
    clearInterval(daily);
    await running;
  };
};

const sweep = async ({ versions, drafts, days, changed }: SweepOptions): Promise<void> => {
  await drafts.sweep();
  const before = await countVersions(versions);
  await versions.sweep(days(), async (id) => (await drafts.find(id)) !== null);
  const after = await countVersions(versions);
  for (const [id, count] of before) if (after.get(id) !== count) changed(`content://${id}`);
};

const countVersions = async (versions: SweepOptions["versions"]): Promise<ReadonlyMap<string, number>> => {
  const counts = new Map<string, number>();
  for (const id of await versions.contentIds()) counts.set(id, (await versions.versionsOf(id)).length);
  return counts;
};
