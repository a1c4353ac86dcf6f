import { expect, test } from "vitest";
import type { SubjectFinding } from "./findings.ts";
import type { Load } from "./load.ts";
import { middleOfRounds } from "./middle-of-rounds.ts";

const round = (
  ...loads: readonly (readonly [inFlight: number, perSecond: number, wrong?: number])[]
): SubjectFinding => ({
  id: "bare",
  title: "bare hop",
  note: "",
  kind: "baseline",
  loads: {
    value: loads.map(([inFlight, perSecond, wrong = 0]) => ({
      inFlight,
      load: {
        perSecond,
        p50Ms: 1000 / perSecond,
        wrong,
        firstWrong: wrong > 0 ? `wrong at ${perSecond}` : null,
      } as Load,
    })),
  },
});

test("is the whole load of the middle round, for each number of calls in flight", () => {
  const { loads } = middleOfRounds([round([1, 10], [32, 300]), round([1, 30], [32, 100]), round([1, 20], [32, 200])]);
  expect(loads).toMatchObject({
    value: [
      { inFlight: 1, load: { perSecond: 20, p50Ms: 50, wrong: 0 } },
      { inFlight: 32, load: { perSecond: 200, p50Ms: 5 } },
    ],
  });
});

test("a wrong answer in any round is told", () => {
  const { loads } = middleOfRounds([round([32, 100]), round([32, 200]), round([32, 300, 2])]);
  expect(loads).toMatchObject({
    value: [{ load: { perSecond: 200, wrong: 2, firstWrong: "wrong at 300" } }],
  });
});

test("a round that failed is told, whatever the others found", () => {
  const failed = { ...round(), loads: { failure: "it ended" } };
  expect(middleOfRounds([round([1, 10]), failed, round([1, 30])]).loads).toEqual({ failure: "it ended" });
});
