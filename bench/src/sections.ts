/**
 * What is asked of Bailiwick alone: long lists, many tools, a long log.
 */
import { join } from "node:path";
import { startHost } from "./bailiwick.ts";
import { compare } from "./compare.ts";
import { fillLog } from "./filled-log.ts";
import type { Flatness } from "./findings.ts";
import type { Load } from "./load.ts";
import { measure } from "./measure.ts";
import type { Timing } from "./timing.ts";

const LISTED = 1000;

export const measureList = async (home: string, timing: Timing): Promise<{ tools: number; load: Load }> => {
  const { target, launched } = await startHost({ home, tools: LISTED });
  const work = { kind: "list", tools: LISTED } as const;
  const load = await measure({ target, work, inFlight: 1, ...timing, rootPid: launched.pid });
  return { tools: LISTED, load };
};

export const compareTools = async (home: string, timing: Timing): Promise<Flatness> => {
  const little = { amount: 10, running: await startHost({ home: join(home, "few"), tools: 10 }) };
  const much = { amount: 10_000, running: await startHost({ home: join(home, "many"), tools: 10_000 }) };
  return compare(little, much, timing);
};

export const compareEvents = async (home: string, timing: Timing): Promise<Flatness> => {
  const workDir = await fillLog(timing.events);
  const little = { amount: 0, running: await startHost({ home: join(home, "empty") }) };
  const much = { amount: timing.events, running: await startHost({ home: join(home, "long"), workDir }) };
  return compare(little, much, timing);
};
