import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Roster } from "./roster.ts";

describe("Roster", () => {
  it("holds what a Set would, whatever comes and goes", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(20)), (steps) => {
        const roster = new Roster<{ n: number }>();
        const expected = new Map<number, { n: number }>();
        for (const [n, step] of steps.entries()) {
          if (step < 12) {
            const item = { n };
            const place = roster.add(item);
            expect(expected.has(place)).toBe(false);
            expected.set(place, item);
          } else {
            const [place = 7] = expected.keys();
            roster.remove(place);
            roster.remove(place);
            expected.delete(place);
          }
        }
        expect(roster.size).toBe(expected.size);
        expect(new Set(roster)).toEqual(new Set(expected.values()));
        for (const [place, item] of expected) expect(roster.get(place)).toBe(item);
        roster.clear();
        expect([...roster]).toEqual([]);
      }),
    );
  });
});
