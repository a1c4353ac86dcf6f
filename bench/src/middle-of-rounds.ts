/**
 * One finding of several of the same subject, measured in turns with all others: at each number of calls in flight the load with
 * the middle throughput. A round that failed, or a wrong answer in any, is told.
 */
import type { SubjectFinding } from "./findings.ts";
import { median } from "./median.ts";

/** At least one. */
export const middleOfRounds = (rounds: readonly [SubjectFinding, ...SubjectFinding[]]): SubjectFinding => {
  const failed = rounds.find(({ loads }) => "failure" in loads);
  if (failed) return failed;
  const all = rounds.flatMap(({ loads }) => ("value" in loads ? loads.value : []));
  const inFlights = [...new Set(all.map(({ inFlight }) => inFlight))];
  const value = inFlights.flatMap((inFlight) => {
    const loads = all.filter((one) => one.inFlight === inFlight).map(({ load }) => load);
    const middle = median(loads.map(({ perSecond }) => perSecond));
    const load = loads.find(({ perSecond }) => perSecond === middle);
    const wrong = loads.reduce((sum, each) => sum + each.wrong, 0);
    const firstWrong = loads.find((each) => each.firstWrong !== null)?.firstWrong ?? null;
    return load ? [{ inFlight, load: { ...load, wrong, firstWrong } }] : [];
  });
  return { ...rounds[0], loads: { value } };
};
