import { hash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createModelNames } from "./model-names.ts";

const PATTERN = /^[A-Za-z0-9_-]{1,64}$/;
const hexOf = (name: string): string => hash("sha256", name).slice(0, 8);
const nameFor = (name: string): string => createModelNames([name]).nameFor(name);

describe("the name of a tool for the model", () => {
  it("is its own where that fits", () => {
    const fitting = ["crm__get-lead", "a__b", `a__${"x".repeat(61)}`];
    expect(fitting.map(nameFor)).toEqual(fitting);
  });

  it("is an alias with eight digits of its hash where it has other characters or is too long", () => {
    expect(nameFor("crm__get.lead")).toBe(`crm__get_lead_${hexOf("crm__get.lead")}`);
    expect(nameFor("crm__länge😀")).toBe(`crm__l_nge__${hexOf("crm__länge😀")}`);
    const long = `crm__${"x".repeat(60)}`;
    expect(nameFor(long)).toBe(`${long.slice(0, 55)}_${hexOf(long)}`);
    expect(nameFor(long)).toHaveLength(64);
  });

  it("is never the alias of another", () => {
    const alias = `crm__get_lead_${hexOf("crm__get.lead")}`;
    const names = createModelNames([alias, "crm__get.lead", "crm__get/lead", "crm__get_lead"]);
    expect(names.nameFor("crm__get.lead")).toBe(alias);
    expect(names.nameFor(alias)).toBe(`${alias}_${hexOf(alias)}`);
    expect(names.fullNameOf(alias)).toBe("crm__get.lead");
    expect(names.fullNameOf(`${alias}_${hexOf(alias)}`)).toBe(alias);
    expect(names.fullNameOf("crm__get_lead")).toBe("crm__get_lead");
  });

  it("leads back to the tool, as its full name does, and anything else to none", () => {
    const names = createModelNames(["crm__get.lead"]);
    expect(names.fullNameOf("crm__get.lead")).toBe("crm__get.lead");
    expect(names.fullNameOf(nameFor("crm__get.lead"))).toBe("crm__get.lead");
    for (const other of ["crm__get_lead", "", "__proto__", "constructor"]) expect(names.fullNameOf(other)).toBeNull();
  });

  it("stays apart from another whose hash begins alike", () => {
    const [one, two] = [`crm__${"x".repeat(60)}96236`, `crm__${"x".repeat(60)}96927`] as const;
    const names = createModelNames([two, one]);
    expect(hexOf(one)).toBe(hexOf(two));
    expect(names.nameFor(one)).not.toBe(names.nameFor(two));
    expect([names.fullNameOf(names.nameFor(one)), names.fullNameOf(names.nameFor(two))]).toEqual([one, two]);
    expect(names.nameFor(two)).toBe(createModelNames([one, two]).nameFor(two));
    const halves = createModelNames(["a__\ud800", "a__\ud801"]);
    expect(halves.nameFor("a__\ud800")).not.toBe(halves.nameFor("a__\ud801"));
  });

  it("fits, is unique, leads back, and is the same whatever else is installed", () => {
    const name = fc.oneof(
      fc
        .tuple(fc.stringMatching(/^[a-z0-9-]{1,48}$/), fc.string({ unit: "binary", minLength: 1, maxLength: 80 }))
        .map(([provider, tool]) => `${provider}__${tool}`),
      fc.stringMatching(/^a__[ab.]{1,3}(_[0-9a-f]{8}){0,2}$/),
    );
    fc.assert(
      fc.property(fc.uniqueArray(name, { maxLength: 30 }), (all) => {
        const names = createModelNames(all);
        const written = all.map((each) => names.nameFor(each));
        expect(new Set(written).size).toBe(all.length);
        for (const [i, each] of all.entries()) {
          expect(written[i]).toMatch(PATTERN);
          expect(names.fullNameOf(written[i] ?? "")).toBe(each);
          expect(written[i]).toBe(nameFor(each));
        }
      }),
    );
  });
});
