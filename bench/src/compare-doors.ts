/**
 * The same call over MCP and over CHP, 32 in flight. Two hosts that differ in nothing are up to a tenth apart when each is measured
 * once, so every round has hosts of its own, loaded in turns, and the middle of the rounds' ratios counts.
 */
import { join } from "node:path";
import { startHost } from "./bailiwick.ts";
import { rateInTurns, type SideRate } from "./compare.ts";
import type { DoorsFinding } from "./findings.ts";
import { stopAll } from "./launch.ts";
import { median } from "./median.ts";
import type { Timing } from "./timing.ts";

const DOORS = ["mcp", "chp", "chp-host-ids"] as const;

/** Rates in the order of `DOORS`, whichever of the hosts is started first. */
const runRound = async (home: string, timing: Timing, isReversed: boolean): Promise<SideRate[]> => {
  const sides = [];
  for (const door of isReversed ? DOORS.toReversed() : DOORS) {
    sides.push({ amount: 0, running: await startHost({ home: join(home, door), door }) });
  }
  const turns = { ...timing, turns: timing.doorTurns, warmUpMs: timing.warmUpMs / 2 };
  const rates = await rateInTurns(sides, turns);
  await stopAll();
  return isReversed ? rates.toReversed() : rates;
};

export const compareDoors = async (home: string, timing: Timing): Promise<DoorsFinding> => {
  const rounds: SideRate[][] = [];
  for (let round = 1; round <= timing.doorRounds; round++) {
    rounds.push(await runRound(join(home, String(round)), timing, round % 2 === 0));
  }
  const rates = (door: number): number[] => rounds.map((round) => round[door]?.perSecond ?? 0);
  const mcp = rates(0);
  const toMcp = (door: number): number[] => rates(door).map((perSecond, round) => perSecond / (mcp[round] ?? 0));
  return {
    rounds: timing.doorRounds,
    mcpPerSecond: median(mcp),
    chpPerSecond: median(rates(1)),
    chpToMcp: median(toMcp(1)),
    lowest: Math.min(...toMcp(1)),
    highest: Math.max(...toMcp(1)),
    hostIdsToMcp: median(toMcp(2)),
    wrong: rounds.flat().reduce((sum, { wrong }) => sum + wrong, 0),
  };
};
