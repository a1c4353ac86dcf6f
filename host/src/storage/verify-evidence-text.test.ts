import * as fc from "fast-check";
import { expect, it } from "vitest";
import { stable } from "../kernel/stable.ts";
import { makeLines } from "./archive/signed-log-for-tests.ts";
import { readCanonical } from "./verify-evidence-text.ts";

const canonicalMembers = (text: string): ReadonlyMap<string, string> | null =>
  readCanonical(text, new Set())?.members ?? null;

const joined = (text: string): string | null => {
  const members = canonicalMembers(text);
  return members === null ? null : `{${[...members.values()].join(", ")}}`;
};
const value = fc.jsonValue({ noUnicodeString: false, stringUnit: "binary" });

it("knows what this host writes for canonical, whole and member by member", () => {
  const [line = ""] = makeLines([
    { more: { payload: { note: "caf\\u00e9 \u{1F512} \u007f\n", list: [1, -2, [], {}] } } },
  ]);
  expect(joined(line)).toBe(line);
  expect(canonicalMembers(line)?.get("host_id")).toBe('"host_id": "test-host"');
});

it("knows every value in its canonical form that has plain keys", () => {
  const plain = fc.dictionary(
    fc.stringMatching(/^[a-z_]{1,8}$/),
    value.map((each) => stable(each)),
  );
  fc.assert(
    fc.property(plain, (object) => {
      expect(joined(stable(object))).toBe(stable(object));
    }),
  );
});

it("leaves out what it is told to, wherever that stands", () => {
  const keys: fc.Arbitrary<string> = fc.constantFrom("a", "b", "c", "d", "e");
  fc.assert(
    fc.property(fc.dictionary(keys, value), fc.uniqueArray(keys), (object, without) => {
      const kept = Object.fromEntries(Object.entries(object).filter(([key]) => !without.includes(key)));
      const read = readCanonical(stable(object), new Set(without));
      if (read !== null) expect(`{${read.rest}}`).toBe(stable(kept));
    }),
  );
  expect(readCanonical('{"a": 1, "b": {"a": 2}, "c": 3}', new Set(["a"]))?.rest).toBe('"b": {"a": 2}, "c": 3');
});

it("never takes another text for canonical", () => {
  const edits = fc.tuple(fc.nat(), fc.constantFrom(" ", '"', "\\", "0", "-", ",", "u", "A", "{", "é", "\u0000", ""));
  fc.assert(
    fc.property(fc.dictionary(fc.string(), value), fc.array(edits, { maxLength: 3 }), (object, changes) => {
      let text = stable(object);
      for (const [at, sign] of changes) {
        const cut = at % text.length;
        text = text.slice(0, cut) + sign + text.slice(cut + 1);
      }
      const isTaken = canonicalMembers(text) !== null;
      expect(isTaken ? stable(JSON.parse(text)) : text).toBe(text);
    }),
    { numRuns: 5000 },
  );
});

it.each([
  '{"a": 1, "a": 1}',
  '{"b": 1, "a": 1}',
  '{"a":1}',
  '{"a": 1 }',
  '{"a": -0}',
  '{"a": 1.0}',
  '{"a": 1e2}',
  '{"a": 9007199254740992}',
  '{"a": "\\u0041"}',
  '{"a": "\\u000a"}',
  '{"a": "\\u00E9"}',
  '{"a": "\\ud800"}',
  '{"a": "\\/"}',
  '{"a": "é"}',
  "[]",
  "",
  "{",
  '{"a',
  '{"a": "',
  '{"a": "\u0001"}',
  '{"a": "\t"}',
  '{"a": nul}',
  '{"a": nulls}',
  '{"a": True}',
  '{"a": truE}',
  '{"a": false',
  '{"a": x}',
  '{"a": -}',
  '{"a": 01}',
  '{"a": [1,2]}',
  '{"a": [1, ]}',
  '{"a": 1}}',
  '{"a": {}',
])("does not take %s for canonical", (text) => {
  expect(canonicalMembers(text)).toBe(null);
});
