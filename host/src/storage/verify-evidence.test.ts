import { hash } from "node:crypto";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { stable } from "../kernel/stable.ts";
import { testVector as vector } from "./archive/signed-log-for-tests.ts";
import { verifyEvidence } from "./verify-evidence.ts";

type Event = Record<string, unknown>;

const ours = vector("bailiwick/evidence.json") as unknown as { events: Event[]; tampered: { to: string } };
const lines = ours.events.map(stable);
const header = (scope: string, more: object = {}): string =>
  stable({ kind: "evidence-export", version: 1, canonicalization: "chp-stable-v1", scope, ...more });
const edit = (index: number, change: (event: Event) => void): string[] => {
  const events = structuredClone(ours.events);
  const event = events[index];
  if (event) change(event);
  return events.map((each) => stable(each));
};

const DEEP = ["[".repeat(50_000) + "]".repeat(50_000), '{"a":'.repeat(50_000) + "1" + "}".repeat(50_000)];

/** Every place in a value, as a path. */
const pathsOf = (value: unknown, path: readonly string[] = []): (readonly string[])[] =>
  typeof value === "object" && value !== null
    ? [path, ...Object.entries(value).flatMap(([key, member]) => pathsOf(member, [...path, key]))]
    : [path];
const setAt = (event: Event, path: readonly string[], value: unknown): void => {
  let at = event;
  for (const key of path.slice(0, -1)) at = at[key] as Event;
  at[path.at(-1) ?? ""] = value;
};

describe("verifying evidence", () => {
  it("passes this project's vector", () => {
    const absent = ["root_hash", "completeness", "signature", "key_id", "key_pinned", "host_identity", "log"];
    const passed = ["event_hashes", "chain", "payload_commitments", "cover", "sequence"];
    expect(verifyEvidence(lines)).toEqual({
      valid: true,
      tier: "hash-chain",
      scope: "log",
      hostId: "service-ops-host",
      keyId: null,
      count: 3,
      withheld: 0,
      purged: 0,
      unsigned: 0,
      compared: false,
      checks: Object.fromEntries([...passed.map((name) => [name, "pass"]), ...absent.map((name) => [name, "absent"])]),
      firstBroken: null,
      unreadable: false,
    });
  });

  it("sees that somebody else is named as the one who acted", () => {
    const changed = edit(1, (event) => setAt(event, ["subject", "id"], ours.tampered.to));
    expect(verifyEvidence(changed)).toMatchObject({
      valid: false,
      checks: { event_hashes: "pass", chain: "pass", cover: "fail" },
      firstBroken: { sequence: 2, check: "cover" },
    });
  });

  it("reads the protocol's own events, v1 and v2", () => {
    const v1 = vector("chp/event.json") as unknown as { event: Event };
    const expected = vector("chp/expected.json") as unknown as { event_content_hash: string };
    const v2 = vector("chp/event-hash-v2.json") as unknown as { event: Event; content_hash: string };
    const one = verifyEvidence([JSON.stringify({ ...v1.event, content_hash: expected.event_content_hash })]);
    expect(one).toMatchObject({
      valid: true,
      checks: { payload_commitments: "absent", cover: "absent", sequence: "absent" },
    });
    const two = verifyEvidence([JSON.stringify({ ...v2.event, content_hash: v2.content_hash })]);
    expect(two).toMatchObject({ valid: true, checks: { payload_commitments: "pass", cover: "absent" } });
  });

  it.each(["signed-bundle", "governance-bundle", "bundle-withheld", "sealed-bundle"])(
    "follows the chain of %s",
    (name) => {
      const file = vector(`chp/${name}.json`) as unknown as { events?: Event[]; bundle?: { events: Event[] } };
      const events = file.events ?? file.bundle?.events ?? [];
      const bare = events.map((event) => JSON.stringify({ ...event, sequence: undefined }));
      expect(bare.length).toBeGreaterThan(0);
      expect(verifyEvidence(bare)).toMatchObject({ valid: true, checks: { event_hashes: "pass", chain: "pass" } });
    },
  );

  it("accepts a payload that was withheld and nothing else in its place", () => {
    const withheld = edit(0, (event) => setAt(event, ["payload"], { chp_withheld: true }));
    expect(verifyEvidence(withheld)).toMatchObject({ valid: true, withheld: 1 });
    const other = edit(0, (event) => setAt(event, ["payload"], { chp_withheld: true, note: "x" }));
    expect(verifyEvidence(other)).toMatchObject({ valid: false, firstBroken: { check: "payload_commitments" } });
  });

  it("sees any single changed, added or removed member of any event", () => {
    const index = fc.nat(ours.events.length - 1);
    fc.assert(
      fc.property(index, fc.nat(), fc.jsonValue(), fc.constantFrom("set", "remove", "add"), (at, pick, value, how) => {
        const paths = pathsOf(ours.events[at]).slice(1);
        const path = paths[pick % paths.length] ?? [];
        const changed = edit(at, (event) => {
          if (how === "add") setAt(event, [...path.slice(0, -1), "zz_added"], value ?? 1);
          else setAt(event, path, how === "remove" ? undefined : value);
        });
        fc.pre(changed[at] !== lines[at] && !changed[at]?.includes('"payload": {"chp_withheld": true}'));
        expect(verifyEvidence(changed).valid).toBe(false);
      }),
      { numRuns: 500 },
    );
  });

  it("sees a number written in place of the text that stands for it", () => {
    const event: Event = { ...ours.events[0], payload: { share: "0.5" } };
    const commitment = hash("sha256", '{"share": "0.5"}');
    const fraction = stable({ ...event, payload_commitment: commitment }).replace('"0.5"', "0.5");
    expect(verifyEvidence([fraction]).firstBroken?.reason).toContain("canonical");
  });

  it("sees a member that stands there twice", () => {
    const line = (lines[0] ?? "").replace('"redacted": false', '"redacted": true, "redacted": false');
    expect(verifyEvidence([line, ...lines.slice(1)])).toMatchObject({
      valid: false,
      firstBroken: { check: "event_hashes" },
    });
  });

  it("sees removed, reordered, repeated and foreign lines in an export", () => {
    const whole = [header("log"), ...lines, stable({ count: 3 })];
    expect(verifyEvidence(whole)).toMatchObject({ valid: true, count: 3 });
    const [top = "", a = "", b = "", c = "", end = ""] = whole;
    const broken = [
      [top, b, c, end],
      [top, a, c, end],
      [top, a, b, end],
      [top, a, b, c],
      [top, b, a, c, end],
      [top, a, b, b, c, end],
      [top, a, b, c, end, a],
      [top, a, "{}", b, c, end],
      [top, a, "nonsense", b, c, end],
      [a, b, c, end],
      [b, c],
    ];
    expect(broken.filter((each) => verifyEvidence(each).valid)).toEqual([]);
  });

  it("lets a correlation's export have gaps and a range begin in the middle", () => {
    const correlation = [header("correlation", { correlation_id: "corr_other" }), lines[2] ?? "", stable({ count: 1 })];
    expect(verifyEvidence(correlation)).toMatchObject({ valid: true, scope: "correlation" });
    const foreign = [header("correlation", { correlation_id: "corr_demo" }), lines[2] ?? "", stable({ count: 1 })];
    expect(verifyEvidence(foreign)).toMatchObject({ valid: false, checks: { chain: "fail" } });
    const range = [header("range", { from: 2, to: 3 }), ...lines.slice(1), stable({ count: 2 })];
    expect(verifyEvidence(range)).toMatchObject({ valid: true, scope: "range" });
    expect(verifyEvidence([header("range", { from: 1, to: 3 }), ...range.slice(1)]).valid).toBe(false);
  });

  it("says when nothing could be read, and takes an empty log as it is", () => {
    expect(verifyEvidence(["PK\u0003\u0004", "\u0000"])).toMatchObject({ valid: false, unreadable: true });
    expect(verifyEvidence([])).toMatchObject({ valid: true, count: 0, unreadable: false });
  });

  it.each([
    (deep: string) => `{"leaf":"${"a".repeat(64)}","sequence":${deep}}`,
    (deep: string) =>
      `{"event_id":"x","event_type":"evidence_purged","correlation":{"correlation_id":"c"},"payload":{"count":${deep}}}`,
  ])("answers to a line that is nested deeper than anybody can follow (%#)", (write) => {
    const deep = "[".repeat(200_000) + "]".repeat(200_000);
    expect(verifyEvidence([header("log"), write(deep), stable({ count: 1 })]).valid).toBe(false);
  });

  it("answers to values that cannot be made a number or a text", () => {
    const evil = '{"toString":1,"valueOf":1}';
    const event = (more: string): string => `{"event_id":"x","correlation":{"correlation_id":"c"},${more}}`;
    const zeros = "0".repeat(64);
    const signed = `"checkpoint":{"kind":"log-checkpoint","tree_size":1,"root_hash":"${zeros}"}`;
    const included = `"inclusion":{"scheme":"chp-store-head-v2","correlation_id":"c","head_hash":"${zeros}","tree_size":1,"audit_path":[],"leaf_index":${evil}}`;
    const texts = [
      [event(`"content_hash":${evil}`)],
      [header("log"), event(`"event_type":"evidence_purged","payload":{"count":${evil}}`), '{"count":1}'],
      [header("log"), event('"a":1'), `{"count":1,"checkpoint":{"tree_size":${evil}}}`],
      [header("range", { from: { toString: 1, valueOf: 1 }, to: 3 }), '{"count":0}'],
      [
        header("correlation", { correlation_id: "c" }),
        event(`"content_hash":"${zeros}"`),
        `{"count":1,${signed},${included}}`,
      ],
      [`{"events":[${event(`"content_hash":${evil}`)}],"root_hash":${evil},"completeness":{"as_of_sequence":${evil}}}`],
    ];
    for (const text of texts) expect(verifyEvidence(text)).toMatchObject({ valid: false });
  });

  it("answers whatever the lines hold", () => {
    const hostile = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.json(),
      fc.constant("[".repeat(20_000) + "]".repeat(20_000)),
      fc.constant('{"a":'.repeat(5000) + "1" + "}".repeat(5000)),
      fc
        .record({ event_id: fc.jsonValue(), correlation: fc.jsonValue(), sequence: fc.jsonValue() })
        .map((each) => JSON.stringify(each)),
      fc.tuple(fc.constantFrom(...lines), fc.nat(), fc.string()).map(([line, at, text]) => {
        const cut = at % line.length;
        return line.slice(0, cut) + text + line.slice(cut + 1);
      }),
      fc.constantFrom(header("log"), header("range"), stable({ count: 1 }), '{"kind":"evidence-export"}'),
      fc.constantFrom(...DEEP.map((deep) => `{"kind":"evidence-export","canonicalization":${deep},"scope":${deep}}`)),
      fc.constantFrom(...DEEP.map((deep) => `{"events":[${deep}],"canonicalization":${deep},"assurance":"signed"}`)),
      fc.constantFrom(...DEEP.map((deep) => `{"count":${deep},"checkpoint":${deep}}`), '{"leaf":1,"sequence":{}}'),
      fc
        .record({ events: fc.jsonValue(), signature: fc.jsonValue(), completeness: fc.jsonValue() })
        .map((each) => JSON.stringify({ ...each, assurance: "signed", canonicalization: "chp-jcs-v1" })),
    );
    fc.assert(
      fc.property(fc.array(hostile, { minLength: 1, maxLength: 6 }), (each) => {
        expect(typeof verifyEvidence(each).valid).toBe("boolean");
      }),
      { numRuns: 200 },
    );
  });
});
