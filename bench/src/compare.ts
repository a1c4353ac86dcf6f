/**
 * Two hosts that differ in one thing, loaded in turns, so that whatever else the machine does falls on both.
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

export const compare = async (little: Side, much: Side, timing: Timing): Promise<Flatness> => {
  const rates = { little: [] as number[], much: [] as number[] };
  let wrong = 0;
  const turn = async (side: Side, into: number[]): Promise<void> => {
    const { target, launched } = side.running;
    const load = await measure({
      target,
      work: { kind: "call" },
      inFlight: 32,
      warmUpMs: timing.warmUpMs,
      windowMs: timing.windowMs / 2,
      rootPid: launched.pid,
    });
    into.push(load.perSecond);
    wrong += load.wrong;
  };
  for (let i = 0; i < timing.turns; i++) {
    const turns = [() => turn(little, rates.little), () => turn(much, rates.much)];
    // Whoever goes first changes too.
    for (const take of i % 2 === 0 ? turns : turns.toReversed()) await take();
  }
  return {
    little: { amount: little.amount, perSecond: median(rates.little) },
    much: { amount: much.amount, perSecond: median(rates.much) },
    wrong,
  };
};
