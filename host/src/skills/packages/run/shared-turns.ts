/**
 * The turns of a package by its name: one that goes and comes back while the last scripts of its earlier self are being ended
 * waits for those, since of the tools that say `main` no two may ever run at once.
 */
import type { RunScript } from "../../../kernel/script.ts";
import { Turns } from "./turns.ts";

export interface SharedTurns {
  readonly turns: Turns;
  /** To be called once, when nothing of who took them runs any more. */
  readonly release: () => void;
}

interface Held {
  readonly turns: Turns;
  users: number;
}

/** By what runs the scripts, of which each workspace has its own. */
const held = new WeakMap<RunScript, Map<string, Held>>();

export const shareTurns = (run: RunScript, name: string): SharedTurns => {
  const byName = held.get(run) ?? new Map<string, Held>();
  const mine = byName.get(name) ?? { turns: new Turns(), users: 0 };
  held.set(run, byName);
  byName.set(name, mine);
  mine.users++;
  const release = (): void => {
    if (--mine.users === 0) byName.delete(name);
  };
  return { turns: mine.turns, release };
};
