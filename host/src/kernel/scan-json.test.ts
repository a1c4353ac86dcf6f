import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { rawJson, rawMembers } from "./raw-json.ts";
import {
  countMembers,
  findJsonDefect,
  insertMembers,
  itemsOf,
  joinMembers,
  memberOf,
  membersOf,
  MemberWalk,
  sliceJson,
} from "./scan-json.ts";

const WALK = { maxDepth: 64, numbers: true };

/** JSON text with odd but legal spelling: blanks, escapes, exponents. */
const spelled = fc.tuple(fc.jsonValue(), fc.constantFrom(undefined, 1, "\t", "  ")).map(([value, space]) => ({
  value,
  text: JSON.stringify(value, null, space),
}));

describe("membersOf", () => {
  it("finds every member of any object, as it stands", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.constantFrom(undefined, 1, "\t"), (object, space) => {
        const text = JSON.stringify(object, null, space);
        const members = membersOf(text);
        expect(members.map((member) => member.key)).toEqual(Object.keys(JSON.parse(text)));
        for (const member of members) {
          expect(JSON.parse(sliceJson(text, member))).toEqual(JSON.parse(text)[member.key]);
        }
      }),
    );
  });

  it("keeps numbers, escapes and blanks inside values as they came", () => {
    const text = '{ "a" : 1.0e+2 , "b\\u0063" : { "x" : "\\"}\\\\" } , "big": 12345678901234567890 }';
    expect(membersOf(text).map((member) => [member.key, sliceJson(text, member)])).toEqual([
      ["a", "1.0e+2"],
      ["bc", '{ "x" : "\\"}\\\\" }'],
      ["big", "12345678901234567890"],
    ]);
    expect(memberOf(text, "nothing")).toBeNull();
  });

  it("joins members back into the text they had", () => {
    const text = '{"a":1.0,"b":[ 2 ],"c":null}';
    const kept = membersOf(text).filter((member) => member.key !== "b");
    expect(joinMembers(text, kept)).toBe('"a":1.0,"c":null');
  });
});

describe("a walk over the members", () => {
  it("passes what membersOf lists, and joins it to the same text", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.constantFrom(undefined, 1, "\t"), (object, space) => {
        const text = ` ${JSON.stringify(object, null, space)}`;
        const walk = new MemberWalk(text);
        const passed: unknown[] = [];
        let joined = rawMembers("");
        while (walk.next()) {
          passed.push({ key: walk.key(), keyStart: walk.keyStart, start: walk.start, end: walk.end });
          expect(walk.value()).toBe(text.slice(walk.start, walk.end));
          joined = walk.joinTo(joined);
        }
        expect(passed).toEqual(membersOf(text));
        expect(joined).toBe(joinMembers(text, membersOf(text)));
        expect(walk.next()).toBe(false);
      }),
    );
  });

  it("reads a key that is spelled with escapes, and begins where it is told", () => {
    const text = '{"a":{ "b\\u0063" : 1.0 },"d":2}';
    const walk = new MemberWalk(text, text.indexOf("{ "));
    expect([walk.next(), walk.key(), walk.value(), walk.next()]).toEqual([true, "bc", "1.0", false]);
  });
});

describe("countMembers", () => {
  it("counts the members of all levels and nothing that stands in strings", () => {
    const within = (value: unknown): number =>
      typeof value === "object" && value !== null
        ? Object.values(value).reduce<number>(
            (sum, inner) => sum + within(inner),
            Array.isArray(value) ? 0 : Object.keys(value).length,
          )
        : 0;
    fc.assert(
      fc.property(spelled, ({ text }) => {
        expect(countMembers(text, 999)).toBe(within(JSON.parse(text)));
      }),
    );
    expect(countMembers('{"a:b":":\\":","c":[{"d":1,"d":2}]}', 3)).toBe(4);
  });

  it("stops at the depth it was given, also for a million brackets", () => {
    expect(countMembers("[".repeat(1_000_000) + "]".repeat(1_000_000), 64)).toBe(-1);
    expect(countMembers('[{"a":[]}]', 3)).toBe(1);
    expect(countMembers('[{"a":[]}]', 2)).toBe(-1);
  });
});

describe("itemsOf", () => {
  it("finds every item of any array", () => {
    fc.assert(
      fc.property(fc.array(spelled), (items) => {
        const text = `[ ${items.map((item) => item.text).join(" , ")} ]`;
        expect(itemsOf(text).map((span) => sliceJson(text, span))).toEqual(items.map((item) => item.text));
      }),
    );
  });
});

describe("insertMembers", () => {
  it.each([
    ["{}", '"a":1', '{"a":1}'],
    ["{ }", '"a":1', '{"a":1 }'],
    ['{"b":2}', '"a":1', '{"a":1,"b":2}'],
    ['{"b":2}', "", '{"b":2}'],
  ])("%s with %s is %s", (object, members, expected) => {
    expect(insertMembers(rawJson(object), rawMembers(members))).toBe(expected);
  });
});

describe("findJsonDefect", () => {
  it("finds nothing in what JSON.stringify writes of safe values", () => {
    const safe = fc.jsonValue().filter((value) => !/\d{16}|\de/i.test(JSON.stringify(value)));
    fc.assert(
      fc.property(safe, (value) => {
        expect(findJsonDefect(JSON.stringify(value), { ...WALK, maxDepth: 999 })).toBeNull();
      }),
    );
  });

  it.each([
    ['{"a":1,"a":2}', "/a"],
    ['{"a":1,"\\u0061":2}', "/a"],
    ['{"x":[{"y":0},{"y":1,"y":1}]}', "/x/1/y"],
    ['{"a/b":{"~":1,"~":2}}', "/a~1b/~0"],
    ['{"s":"},{\\"s","s":1}', "/s"],
    ['{"":1, "":2}', "/"],
  ])("names the repeated member of %s", (text, pointer) => {
    expect(findJsonDefect(text, WALK)).toEqual({ kind: "repeated", pointer });
  });

  it("finds a repeated member among very many", () => {
    const members = Array.from({ length: 5000 }, (_, i) => `"k${i}":0`);
    expect(findJsonDefect(`{${members.join(",")}}`, WALK)).toBeNull();
    expect(findJsonDefect(`{${members.join(",")},"k17":1}`, WALK)).toEqual({ kind: "repeated", pointer: "/k17" });
  });

  it.each(['{"a":{"b":1},"b":1}', '[{"a":1},{"a":1}]', '{"a":"a","b":"a"}', '{"a":["a","a"]}'])(
    "accepts %s",
    (text) => {
      expect(findJsonDefect(text, WALK)).toBeNull();
    },
  );

  it.each([
    ["[9007199254740992]", "/0"],
    ['{"n":-9007199254740993}', "/n"],
    ["[1, 1e400]", "/1"],
    ["[0.123456789012345678]", "/0"],
    ['{"a":[0,{"b":123456789012345678901234567890}]}', "/a/1/b"],
  ])("names the number of %s that cannot be kept", (text, pointer) => {
    expect(findJsonDefect(text, WALK)).toEqual({ kind: "number", pointer });
  });

  it.each([
    "[9007199254740991]",
    "[1e5]",
    "[0.1]",
    "[1.0]",
    "[-0]",
    '["9007199254740993"]',
    "[0.00000000000000000001]",
  ])("accepts %s", (text) => expect(findJsonDefect(text, WALK)).toBeNull());

  it("ends at the depth it was given, also for a million brackets", () => {
    const deep = "[".repeat(1_000_000) + "]".repeat(1_000_000);
    expect(findJsonDefect(deep, WALK)).toEqual({ kind: "deep" });
    expect(findJsonDefect("[".repeat(64) + "]".repeat(64), WALK)).toBeNull();
  });
});
