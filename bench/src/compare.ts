/**
 * Hosts that differ in one thing, or doors of one, loaded in turns, so that whatever else the machine does falls on all.
 */
import type { Flatness } from "./findings.ts";
import { measure } from "./measure.ts";
import { median } from "./median.ts";
import type { Running } from "./subject.ts";
import type { Timing } from "./timing.ts";

export interface Side {
  readonly amount: number;
  readonly running: Running;
}

export interface SideRate {
  readonly amount: number;
  readonly perSecond: number;
  readonly wrong: number;
}

const takeTurn = ({ target, launched }: Running, timing: Timing): Promise<{ perSecond: number; wrong: number }> =>
  measure({
    target,
    work: { kind: "call" },
    inFlight: 32,
    warmUpMs: timing.warmUpMs,
    windowMs: timing.windowMs / 2,
    rootPid: launched.pid,
  });

/** In the order of the sides. */
export const rateInTurns = async (sides: readonly Side[], timing: Timing): Promise<SideRate[]> => {
  const rates = sides.map((side) => ({ side, seen: [] as number[], wrong: 0 }));
  for (let i = 0; i < timing.turns; i++) {
    // Whoever goes first changes too.
    for (const rate of i % 2 === 0 ? rates : rates.toReversed()) {
      const { perSecond, wrong } = await takeTurn(rate.side.running, timing);
      rate.seen.push(perSecond);
      rate.wrong += wrong;
    }
  }
  return rates.map(({ side, seen, wrong }) => ({ amount: side.amount, perSecond: median(seen), wrong }));
};

export const flatnessOf = (little: SideRate, much: SideRate): Flatness => ({
  little: { amount: little.amount, perSecond: little.perSecond },
  much: { amount: much.amount, perSecond: much.perSecond },
  wrong: little.wrong + much.wrong,
});

export const compare = async (little: Side, much: Side, timing: Timing): Promise<Flatness> => {
  const [first, second] = await rateInTurns([little, much], timing);
  if (first === undefined || second === undefined) throw new Error("a side was not measured");
  return flatnessOf(first, second);
};
