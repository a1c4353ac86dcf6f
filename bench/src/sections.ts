/**
 * What is asked of Bailiwick alone: long lists, many tools, a long log, many workspaces.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { overChp, startHost } from "./bailiwick.ts";
import { compare, flatnessOf, rateInTurns } from "./compare.ts";
import { fillLog } from "./filled-log.ts";
import type { DoorsFlatness, Flatness } from "./findings.ts";
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

/** Both doors in the same turns. Each has an empty host of its own, since every call makes the log longer. */
export const compareEvents = async (home: string, timing: Timing): Promise<DoorsFlatness> => {
  const workDir = await fillLog(timing);
  const empty = await startHost({ home: join(home, "empty") });
  const emptyChp = await startHost({ home: join(home, "empty-chp"), door: "chp" });
  const long = await startHost({ home: join(home, "long"), workDir });
  const sides = [
    { amount: 0, running: empty },
    { amount: timing.events, running: long },
    { amount: 0, running: emptyChp },
    { amount: timing.events, running: { ...long, target: overChp(long.target) } },
  ];
  const [mcpLittle, mcpMuch, chpLittle, chpMuch] = await rateInTurns(sides, timing);
  if (!mcpLittle || !mcpMuch || !chpLittle || !chpMuch) throw new Error("a side was not measured");
  return { mcp: flatnessOf(mcpLittle, mcpMuch), chp: flatnessOf(chpLittle, chpMuch) };
};

const WORKSPACES = 300;
const FILES_EACH = 20;

/** Each with members, a bundle of its own and files, as they lie on disk when nobody is in them. */
const fillWorkspaces = (workDir: string): void => {
  for (let index = 0; index < WORKSPACES; index++) {
    const home = join(workDir, "workspaces", `ws_team_${index}`);
    mkdirSync(join(home, "data", "echo"), { recursive: true });
    const bundles = [{ path: "../../../../echo-bundle", serverName: "echo" }];
    writeFileSync(join(home, "workspace.json"), JSON.stringify({ name: `Team ${index}`, members: [], bundles }));
    for (let file = 0; file < FILES_EACH; file++) writeFileSync(join(home, "data", "echo", `${file}.txt`), "x");
  }
};

export const compareWorkspaces = async (home: string, timing: Timing): Promise<Flatness> => {
  const workDir = join(home, "many", "work");
  fillWorkspaces(workDir);
  const little = { amount: 1, running: await startHost({ home: join(home, "one") }) };
  const much = { amount: WORKSPACES, running: await startHost({ home: join(home, "many"), workDir }) };
  return compare(little, much, timing);
};
