/** A folder for what is not yet known to be good. It is gone when the work is done, however that ends. */
import { mkdir, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { makeId } from "../../kernel/make-id.ts";

/** What a killed host left behind is older than this when the next one looks. */
const STALE_MS = 24 * 60 * 60_000;

export type WithScratch = <T>(work: (folder: string) => Promise<T>) => Promise<T>;

/** `home` should be on the file system that the results are moved to. */
export const createScratch = (home: string, report: (error: unknown) => void): WithScratch => {
  let swept: Promise<void> | null = null;
  return async (work) => {
    await mkdir(home, { recursive: true, mode: 0o700 });
    swept ??= sweep(home).catch(report);
    await swept;
    const folder = join(home, makeId("s_"));
    await mkdir(folder, { mode: 0o700 });
    try {
      return await work(folder);
    } finally {
      await rm(folder, { recursive: true, force: true, maxRetries: 3 }).catch(report);
    }
  };
};

const sweep = async (home: string): Promise<void> => {
  for (const name of await readdir(home)) {
    const facts = await stat(join(home, name)).catch(() => null);
    if (facts !== null && Date.now() - facts.mtimeMs > STALE_MS) {
      await rm(join(home, name), { recursive: true, force: true });
    }
  }
};
