/**
 * What the bundles of all workspaces share: the keeper of their processes, the places for those that start at boot, and the
 * end of what an earlier host left behind.
 */
import { join } from "node:path";
import { reapChildren } from "./children-file.ts";
import { createKeeper, type Keeper } from "./keeper.ts";
import { createStartGate, type StartGate } from "./start-gate.ts";

export interface Ground {
  readonly keeper: Keeper;
  /** Ends what an earlier host left behind. */
  reap(): Promise<void>;
  /** Opens when nothing of an earlier host may still hold its files or ports. */
  readonly gate: StartGate;
  close(): Promise<void>;
}

export interface GroundOptions {
  readonly workDir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly warn: (message: string) => void;
}

const AT_ONCE = 8;
const LONGEST_PLACE_MS = 5_000;

export const createGround = ({ workDir, env, warn }: GroundOptions): Ground => {
  const file = join(workDir, "run", "children");
  const keeper = createKeeper({ file, path: env["PATH"] ?? "/usr/bin:/bin", warn });
  const places = createStartGate({ places: AT_ONCE, longestMs: LONGEST_PLACE_MS });
  let reaped: Promise<void> | null = null;
  const reap = (): Promise<void> => {
    reaped ??= endLeftovers(file, warn);
    return reaped;
  };
  return {
    keeper,
    reap,
    gate: { enter: () => reap().then(() => places.enter()) },
    close: () => keeper.close(),
  };
};

const endLeftovers = async (file: string, warn: GroundOptions["warn"]): Promise<void> => {
  try {
    await reapChildren(file);
  } catch (error) {
    warn(`leftovers were not ended: ${(error as Error).message}`);
  }
};
