import * as fc from "fast-check";
import { expect, test } from "vitest";
import { definitionOf } from "../../kernel/definition-of.ts";
import { comparedMembers } from "./compared-members.ts";

const MEMBERS = ["name", "title", "description", "inputSchema", "outputSchema", "annotations", "icons", "execution"];

test("a person is shown exactly what the hash is made of", () => {
  const member = fc.record({ key: fc.constantFrom(...MEMBERS), value: fc.jsonValue() });
  const meta = fc.oneof(fc.jsonValue(), fc.record({ ui: fc.jsonValue(), dcc: fc.jsonValue(), other: fc.jsonValue() }));
  fc.assert(
    fc.property(fc.array(member), fc.option(meta, { nil: undefined }), (members, _meta) => {
      const tool = { ...Object.fromEntries(members.map(({ key, value }) => [key, value])), _meta };
      const shown = comparedMembers(tool);
      expect(definitionOf(shown)).toBe(definitionOf(tool));
      for (const key of ["icons", "execution"]) expect(shown).not.toHaveProperty(key);
    }),
  );
});

test("of `_meta` only what the host reads is compared", () => {
  const tool = { name: "a", _meta: { ui: { x: 1 }, dcc: {}, "acme/x": "other" }, icons: [] };
  expect(comparedMembers(tool)).toEqual({ name: "a", _meta: { ui: { x: 1 }, dcc: {} } });
  expect(comparedMembers({ name: "a", _meta: { "acme/x": 1 } })).toEqual({ name: "a" });
});
