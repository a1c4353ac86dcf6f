/**
 * What goes by itself, once a day and soon after the start: versions that are older than they are kept for, but for the latest
 * of each content, and drafts that nobody changed for 30 days, with what was made of them. Nobody called for it, so that it is
 * recorded here, before it happens.
 */
import type { TellSwept } from "../storage/tell-swept.ts";
import type { Workbench } from "../workbench.ts";

const DAY_MS = 86_400_000;
const FIRST_MS = 60_000;
const MAX_IDS = 500;

export interface SweepOptions extends Pick<Workbench, "versions" | "drafts" | "changed"> {
  /** How long versions are kept, as it is now. */
  readonly days: () => number;
  readonly everyMs?: number;
  /** Rejects where it is not durable: then nothing of what it tells is removed. */
  readonly record: (type: string, data: object) => Promise<void>;
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

const sweep = async ({ versions, drafts, days, changed, record }: SweepOptions): Promise<void> => {
  await drafts.sweep(async (ids) => {
    for (const draft_ids of partsOf(ids)) await record("drafts_swept", { draft_ids });
  });
  const tell: TellSwept = async ({ content_id, versions: going, metadataOnly }) => {
    const more = metadataOnly ? { metadata_only: true } : {};
    for (const version_ids of partsOf(going.map((version) => version.version_id)))
      await record("content_swept", { content_id, version_ids, ...more });
  };
  const before = await countVersions(versions);
  try {
    await versions.sweep({ days: days(), hasDraft: async (id) => (await drafts.find(id)) !== null, tell });
  } finally {
    const after = await countVersions(versions);
    for (const [id, count] of before) if (after.get(id) !== count) changed(`content://${id}`);
  }
};

/** As many ids as one record holds. */
function* partsOf(ids: readonly string[]): Generator<readonly string[], undefined> {
  for (let at = 0; at < ids.length; at += MAX_IDS) yield ids.slice(at, at + MAX_IDS);
}

const countVersions = async (versions: SweepOptions["versions"]): Promise<ReadonlyMap<string, number>> => {
  const counts = new Map<string, number>();
  for (const id of await versions.contentIds()) counts.set(id, (await versions.versionsOf(id)).length);
  return counts;
};
