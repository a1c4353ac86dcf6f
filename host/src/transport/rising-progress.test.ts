import fc from "fast-check";
import { expect, it } from "vitest";
import { rawMembers } from "../kernel/raw-json.ts";
import { createRisingProgress } from "./rising-progress.ts";

const numberIn = (members: string): number => (JSON.parse(`{${members}}`) as { progress: number }).progress;

it("only grows, whatever the host counted and the server says after it", () => {
  fc.assert(
    fc.property(
      fc.nat(20),
      fc.array(fc.double({ min: Number.MIN_VALUE, max: 1e9, noNaN: true }), { maxLength: 10 }),
      (waited, steps) => {
        const rising = createRisingProgress();
        const told: number[] = [];
        for (let n = 1; n <= waited; n++)
          told.push(numberIn(rising(rawMembers(`"progress":${n},"message":"waiting for approval apr_1"`))));
        const said = steps.toSorted((a, b) => a - b);
        for (const progress of said) told.push(numberIn(rising(rawMembers(`"progress":${progress}`))));
        expect(told.every((n, i) => i === 0 || n >= told[i - 1]!)).toBe(true);
        expect(told.slice(waited)).toEqual(said.map((progress) => progress + waited));
      },
    ),
  );
});

it.each(["", '"progress":"x"', '"progress":1e400', '"message":"m"', '"progress":1.0,"total":2'])(
  "is as it came for a call that did not wait: %s",
  (members) => expect(createRisingProgress()(rawMembers(members))).toBe(members),
);

it("leaves what is no number as it is", () => {
  const rising = createRisingProgress();
  rising(rawMembers('"progress":3,"message":"waiting for approval apr_1"'));
  expect(rising(rawMembers('"progress":"x","total":null'))).toBe('"progress":"x","total":null');
  expect(rising(rawMembers('"progress":1e400'))).toBe('"progress":1e400');
  expect(rising(rawMembers(""))).toBe("");
});
