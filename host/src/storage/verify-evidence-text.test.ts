import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { stable } from "../kernel/stable.ts";
import { makeLines, testVector } from "./archive/signed-log-for-tests.ts";
import { eventComposer } from "./compose-event.ts";
import { FIELD } from "./draft-fields.ts";
import { EventReader, isCanonicalText, writeEvent, type Json } from "./verify-evidence-text.ts";

const value = fc.jsonValue({ noUnicodeString: false, stringUnit: "binary" });
const read = (line: string): ReturnType<EventReader["read"]> => new EventReader().read(line);
/** Of which both ways must say the same, but for what is asked only of events without a cover. */
const compared = (line: string): [unknown, unknown] => {
  const written = writeEvent(JSON.parse(line) as Json);
  return [read(line), written && { ...written, assurance: undefined }];
};

const composed = (more: Partial<Record<keyof typeof FIELD, string>>): string => {
  const fields: (string | null)[] = Array.from({ length: Object.keys(FIELD).length }, () => null);
  const given = {
    capabilityId: "echo__echo",
    correlationId: "corr_1",
    type: "execution_started",
    invocationId: "inv_1",
  };
  for (const [key, text] of Object.entries({ ...given, subject: '{"id": "a"}', payload: '{"a": 1}', ...more }))
    fields[FIELD[key as keyof typeof FIELD]] = text;
  const compose = eventComposer({ hostId: "test-host", environment: "prod", durability: "before-execution" });
  const place = { sequence: 7, timestamp: "2026-11-16T10:00:00.000Z", prevHash: null, redacted: false };
  return compose(fields, 0, place).line;
};

describe("the texts of an event that are hashed", () => {
  it("are found in every line that this host writes, and are those of its members", () => {
    const lines = [
      composed({}),
      composed({ actionDigest: "sha256:abc", outcome: "success", causationId: "c", parentId: "p", traceId: "t" }),
      composed({ denial: '{"code": "denied", "details": {"rule": 3}, "retryable": false}', payload: "{}" }),
      composed({ error: '{"message": "caf\\u00e9 \\"x\\"\\n"}', payload: '{"list": [1, -2, [], "a"], "n": null}' }),
      ...makeLines([{ type: "execution_started" }, {}]),
      ...(testVector("bailiwick/evidence.json")["events"] as Json[]).map((event) => stable(event)),
    ];
    for (const line of lines) {
      const [quick, long] = compared(line);
      expect(quick).not.toBe(null);
      expect(quick).toEqual(long);
    }
  });

  it("are never found in a line that is not canonical, and never others than those of its members", () => {
    const [plain, rich] = [composed({}), composed({ error: '{"a": "\\u00e9", "b": [{}, 1]}', payload: "{}" })];
    const edits = fc.tuple(fc.nat(), fc.constantFrom(" ", '"', "\\", "0", "-", ",", "u", "A", "{", "}", "é", "\0", ""));
    const move = fc.tuple(fc.nat(), fc.nat(), fc.nat());
    let taken = 0;
    fc.assert(
      fc.property(
        fc.constantFrom(plain, rich),
        fc.array(edits, { maxLength: 2 }),
        fc.option(move),
        (line, changes, copy) => {
          let text = line;
          for (const [at, sign] of changes) {
            const cut = at % text.length;
            text = text.slice(0, cut) + sign + text.slice(cut + 1);
          }
          if (copy !== null) {
            const [from, to, at] = copy.map((each) => each % text.length) as [number, number, number];
            text = text.slice(0, at) + text.slice(from, to) + text.slice(at);
          }
          const found = read(text);
          if (found === null) return;
          taken++;
          const event = JSON.parse(text) as Json;
          expect(stable(event)).toBe(text);
          expect({ ...writeEvent(event), assurance: undefined }).toEqual(found);
        },
      ),
      { numRuns: 5000 },
    );
    expect(taken).toBeGreaterThan(0);
  });

  it("takes no longer for a line that only looks like an event", () => {
    const line = composed({});
    const many = composed({ payload: `{"a": "${"{}".repeat(20_000)}"}` });
    expect(read(many.slice(0, -1))).toBe(null);
    expect(read(line.replace('"payload": {', `"payload": ${"{".repeat(50_000)}`))).toBe(null);
    expect(read(`${line}${" ".repeat(100_000)}`)).toBe(null);
  });
});

it("knows every object in its canonical form", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), value), (object) => {
      const text = stable(object);
      expect(isCanonicalText(text)).toBe(stable(JSON.parse(text)) === text);
    }),
  );
  for (const text of ["null", "{}", '{"a": -1, "b": "x y"}', '{"a": {"b": []}}', '{"a": "\\u00e9\\n"}'])
    expect(isCanonicalText(text)).toBe(true);
});

it("never takes another text for canonical", () => {
  const edits = fc.tuple(fc.nat(), fc.constantFrom(" ", '"', "\\", "0", "-", ",", "u", "A", "{", "é", "\u0000", ""));
  const small = fc.dictionary(
    fc.stringMatching(/^[a-c]{1,2}$/),
    fc.oneof(fc.integer(), fc.constantFrom("x", null, true)),
  );
  fc.assert(
    fc.property(
      fc.oneof(fc.dictionary(fc.string(), value), small),
      fc.array(edits, { maxLength: 3 }),
      (object, changes) => {
        let text = stable(object);
        for (const [at, sign] of changes) {
          const cut = at % text.length;
          text = text.slice(0, cut) + sign + text.slice(cut + 1);
        }
        expect(isCanonicalText(text) ? stable(JSON.parse(text)) : text).toBe(text);
      },
    ),
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
  '{"a": 1}\n',
  '{"a": 1, }',
  '{"a": {}',
  `{"a": ${"[".repeat(50_000)}${"]".repeat(50_000)}}`,
])("does not take %s for canonical", (text) => {
  expect(isCanonicalText(text)).toBe(false);
});
