/**
 * Makes a provider's data directory that of one source. What another source of the same name left there is put aside, and
 * comes back when that one does. At once, so that two starts never see it half done; after a crash in the middle the next
 * claim ends it.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, rmdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

export interface DataClaim {
  /** Of the workspace. */
  readonly home: string;
  readonly provider: string;
  /** Hashed. */
  readonly source: string;
}

/** Where the data of another was put just now; null: there was none. */
export const claimDataDir = ({ home, provider, source }: DataClaim): string | null => {
  const place = join(home, "data", provider);
  const note = join(home, "data-owners", provider);
  // No provider's name has a dot.
  const asideOf = (owner: string): string => `${place}.${owner.slice(0, 12)}`;
  const owner = readOwner(note);
  const isOthers = owner !== null && owner !== source && existsSync(place);
  if (isOthers) renameSync(place, asideOf(owner));
  if (owner !== source) {
    mkdirSync(dirname(note), { recursive: true, mode: 0o700 });
    writeFileSync(note, source, { mode: 0o600, flush: true });
  }
  if (existsSync(asideOf(source)) && isFree(place)) renameSync(asideOf(source), place);
  return isOthers ? asideOf(owner) : null;
};

/** An empty one was made for a start that came to nothing. */
const isFree = (place: string): boolean => {
  try {
    rmdirSync(place);
    return true;
  } catch {
    return !existsSync(place);
  }
};

const readOwner = (note: string): string | null => {
  try {
    const text = readFileSync(note, "utf8");
    return /^[0-9a-f]{64}$/.test(text) ? text : null;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
};
