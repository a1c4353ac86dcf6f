import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isSignedBy } from "../../../kernel/signing.ts";
import { stable } from "../../../kernel/stable.ts";
import { didKeyOf } from "./did-key.ts";
import { HOUR, mandateOf, NOW, party, type Json, type MandateOrder } from "./mandate-for-tests.ts";
import { proveLinks, rememberProofs } from "./prove-links.ts";
import { scopeCovers } from "./scope-covers.ts";
import { verifyMandate, type MandateContext, type MandateVerdict } from "./verify-mandate.ts";

const ANY: MandateContext = {
  now: NOW,
  prove: proveLinks,
  caller: ["runner"],
  principals: null,
  delegateBinding: "name",
  delegates: new Map(),
  isRevoked: () => false,
};

const failed = ({ valid, checks }: MandateVerdict): string[] => {
  const names = Object.keys(checks).filter((name) => !checks[name]);
  expect(valid).toBe(names.length === 0);
  return names;
};

const check = (mandate: unknown, context: Partial<MandateContext> = {}): string[] =>
  failed(verifyMandate(mandate, { ...ANY, ...context }));

const [ann, bob, eve] = [party("ann"), party("bob"), party("eve")];
const root = (more: Partial<MandateOrder> = {}): Json =>
  mandateOf({ by: ann, to: "runner", scope: ["demo.*"], ...more });
const parent = mandateOf({ by: ann, to: "bob", scope: ["demo.*"], until: NOW + 2 * HOUR, max: 5 });
const child = (more: Partial<MandateOrder> = {}): Json =>
  mandateOf({ by: bob, to: "runner", scope: ["demo.echo"], parent, ...more });

describe("the published mandates", () => {
  const vector = (name: string): Json =>
    JSON.parse(readFileSync(new URL(`../../../../test/vectors/chp/${name}.json`, import.meta.url), "utf8")) as Json;
  const at = (when: string, caller: string, more: Partial<MandateContext> = {}): Partial<MandateContext> => ({
    now: Date.parse(when),
    caller: [caller],
    ...more,
  });
  const inTime = at("2026-01-01T00:00:00Z", "vector-delegate");

  it("mandate.json holds from its beginning to its end, for its delegate", () => {
    const mandate = vector("mandate");
    expect(check(mandate, inTime)).toEqual([]);
    expect(check(mandate, at("2026-12-31T23:59:59.999Z", "vector-delegate"))).toEqual([]);
    expect(check(mandate, at("2027-01-01T00:00:00Z", "vector-delegate"))).toEqual(["window"]);
    expect(check(mandate, at("2025-12-31T23:59:59.999Z", "vector-delegate"))).toEqual(["attestation", "window"]);
    expect(check(mandate, at("2026-01-01T00:00:00Z", "somebody"))).toEqual(["delegate"]);
    expect(scopeCovers(mandate["scope"] as string[], "chp.adapters.audit.list")).toBe(true);
    expect(scopeCovers(mandate["scope"] as string[], "chp.adapters.auditor")).toBe(false);
  });

  it("mandate-capped.json says how often, and its signature covers that", () => {
    const capped = vector("mandate-capped");
    const verdict = verifyMandate(capped, { ...ANY, ...inTime });
    expect([verdict.valid, verdict.links[0]?.maxInvocations]).toEqual([true, 3]);
    expect(check({ ...capped, max_invocations: 300 }, inTime)).toEqual(["signature"]);
    const { max_invocations: _, ...uncapped } = capped;
    expect(check(uncapped, inTime)).toEqual(["signature"]);
  });

  it("mandate-chain.json holds with its parent, and not when it is widened", () => {
    const chain = vector("mandate-chain");
    const context = at("2026-01-01T00:00:00Z", "vector-subdelegate");
    const verdict = verifyMandate(chain, { ...ANY, ...context });
    expect(failed(verdict)).toEqual([]);
    expect(verdict.links.map(({ principal }) => principal.hostId)).toEqual(["vector-delegate", "vector-principal"]);
    expect(check({ ...chain, scope: ["chp.*", "demo.echo"] }, context)).toEqual(["signature", "attenuation_scope"]);
    const { parent: _, ...orphan } = chain;
    expect(check(orphan, context)).toEqual(["form"]);
    expect(check(chain, { ...context, delegateBinding: "key" })).toEqual(["delegate_join"]);
    const key = (chain["principal"] as Json)["public_key"] as string;
    const delegates = new Map([["vector-delegate", key]]);
    expect(check(chain, { ...context, delegateBinding: "key", delegates })).toEqual([]);
  });

  it("mandate-revocation.json withdraws mandate.json, and the chain that comes from it", () => {
    const revocation = vector("mandate-revocation");
    const { signature, principal, ...signed } = revocation as Record<string, Json> & Json;
    const key = principal!["public_key"] as string;
    expect(isSignedBy(key, stable(signed), signature!["signature"])).toBe(true);
    const isRevoked = (id: string, by: string): boolean => id === revocation["mandate_id"] && by === key;
    expect(check(vector("mandate"), { ...inTime, isRevoked })).toEqual(["not_revoked"]);
    expect(check(vector("mandate-capped"), { ...inTime, isRevoked })).toEqual([]);
    const chain = at("2026-01-01T00:00:00Z", "vector-subdelegate", { isRevoked });
    expect(check(vector("mandate-chain"), chain)).toEqual(["not_revoked"]);
    const byAnother = (id: string, by: string): boolean => id === revocation["mandate_id"] && by !== key;
    expect(check(vector("mandate"), { ...inTime, isRevoked: byAnother })).toEqual([]);
  });
});

describe("a mandate", () => {
  it("is believed by default only of a principal whose key is pinned, whatever it calls itself", () => {
    const pinned = new Set([ann.signer.publicKey]);
    expect(check(root(), { principals: pinned })).toEqual([]);
    expect(check(root({ by: { ...eve, hostId: "ann" } }), { principals: pinned })).toEqual(["principal"]);
    const forged = root({ by: eve });
    forged["principal"] = root()["principal"];
    expect(check(forged, { principals: pinned })).toEqual(["signature", "key_id"]);
  });

  it.each<[string, (mandate: Json) => void, string]>([
    ["another key id", (m) => ((m["signature"] as Json)["key_id"] = "0".repeat(16)), "key_id"],
    [
      "an attestation of another key",
      (m) => ((m["principal"] as Json)["host_identity"] = (root({ by: eve })["principal"] as Json)["host_identity"]),
      "attestation",
    ],
    ["no attestation", (m) => delete (m["principal"] as Json)["host_identity"], "attestation"],
    ["a member that nothing signs", (m) => (m["extra"] = 1), "form"],
    ["a cap of nothing", (m) => (m["max_invocations"] = 0), "form"],
    ["a cap that is a fraction", (m) => (m["max_invocations"] = 1.5), "form"],
    ["no end", (m) => delete m["valid_until"], "form"],
    ["another canonical form", (m) => (m["canonicalization"] = "chp-jcs-v1"), "form"],
    ["an id without a canonical form", (m) => (m["mandate_id"] = "mnd_\ud800"), "form"],
    ["an empty scope", (m) => (m["scope"] = []), "form"],
    ["a depth without a parent", (m) => (m["depth"] = 1), "form"],
    ["another algorithm", (m) => ((m["signature"] as Json)["algorithm"] = "none"), "form"],
  ])("with %s does not hold", (_, change, expected) => {
    const mandate = structuredClone(root());
    change(mandate);
    expect(check(mandate)).toContain(expected);
  });

  it.each([null, 1, "mandate", [], {}, { kind: "mandate" }])(
    "is not what %j is, and saying so is no error",
    (value) => {
      expect(check(value)).toEqual(["form"]);
    },
  );

  it("that was proved once is still asked when its attestation ends, and another one is not taken for it", () => {
    const prove = rememberProofs();
    const ends = { ...ann, attestedUntil: NOW + HOUR };
    const mandate = root({ by: ends, until: NOW + 9 * HOUR });
    for (let i = 0; i < 2; i++) expect(check(mandate, { prove })).toEqual([]);
    expect(check({ ...mandate, scope: ["*"] }, { prove })).toEqual(["signature"]);
    expect(check(mandate, { prove, now: NOW + HOUR })).toEqual(["attestation"]);
    expect(check(mandate, { prove, now: NOW - 101 * HOUR })).toEqual(["attestation", "window"]);
  });

  it("does not hold when it can never end", () => {
    expect(check(root({ signed: { valid_until: "never" } }))).toEqual(["window"]);
  });
});

describe("a mandate that comes from another", () => {
  it("holds when it is narrower in everything", () => expect(check(child())).toEqual([]));

  it.each<[string, Json, string]>([
    ["for more", child({ scope: ["demo.echo", "other"] }), "attenuation_scope"],
    ["for a wider beginning", child({ scope: ["dem*"] }), "attenuation_scope"],
    ["for everything", child({ scope: ["*"] }), "attenuation_scope"],
    ["for longer", child({ until: NOW + 3 * HOUR }), "attenuation_window"],
    ["from earlier on", child({ from: NOW - 2 * HOUR }), "attenuation_window"],
    ["more often", child({ max: 6 }), "attenuation_count"],
    ["from somebody else than its delegate", child({ by: eve }), "delegate_join"],
    ["of another parent", child({ signed: { parent_id: "mnd_other" } }), "parent"],
    ["at another depth", child({ signed: { depth: 2 } }), "parent"],
  ])("does not hold %s", (_, mandate, expected) => expect(check(mandate)).toEqual([expected]));

  it("needs the key that belongs to the delegate's name, or a name that is the key", () => {
    const key = { delegateBinding: "key" } as const;
    expect(check(child(), key)).toEqual(["delegate_join"]);
    expect(check(child(), { ...key, delegates: new Map([["bob", bob.signer.publicKey]]) })).toEqual([]);
    expect(check(child(), { ...key, delegates: new Map([["bob", eve.signer.publicKey]]) })).toEqual(["delegate_join"]);
    const did = didKeyOf(bob.signer.publicKey);
    expect(did).toMatch(/^did:key:z6Mk/);
    const self = { ...bob, hostId: did };
    const named = mandateOf({ by: ann, to: did, scope: ["demo.*"] });
    expect(check(child({ by: self, parent: named }), key)).toEqual([]);
    expect(check(child({ by: { ...eve, hostId: did }, parent: named }), key)).toEqual(["delegate_join"]);
  });

  it("holds eight steps down and not nine", () => {
    const chain = (depth: number): Json =>
      depth === 0
        ? mandateOf({ by: ann, to: "ann", scope: ["*"] })
        : mandateOf({ by: ann, to: depth >= 8 ? "runner" : "ann", scope: ["*"], parent: chain(depth - 1) });
    expect(check(chain(8))).toEqual([]);
    expect(check(chain(9))).toEqual(["form"]);
  });

  it("never lets through what its parent would not", () => {
    const entry = fc.stringMatching(/^[ab.]{1,3}\*?$/);
    const scope = fc.array(entry, { minLength: 1, maxLength: 3 });
    const hours = fc.integer({ min: -3, max: 3 });
    const cap = fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined });
    const terms = fc.record({ scope, from: hours, until: hours, max: cap });
    const id = fc.stringMatching(/^[ab.]{1,4}$/);
    const wide = { scope: ["*"], from: -3, until: 3, max: undefined };
    const likely = fc.oneof({ weight: 1, arbitrary: fc.constant(wide) }, { weight: 2, arbitrary: terms });
    let held = 0;
    fc.assert(
      fc.property(likely, terms, id, (above, below, wanted) => {
        const order = (each: typeof above) => ({
          scope: each.scope,
          from: NOW + each.from * HOUR,
          until: NOW + each.until * HOUR,
          ...(each.max === undefined ? {} : { max: each.max }),
        });
        const upper = mandateOf({ by: ann, to: "bob", ...order(above) });
        const verdict = verifyMandate(mandateOf({ by: bob, to: "runner", ...order(below), parent: upper }), ANY);
        if (!verdict.valid || !scopeCovers(below.scope, wanted)) return;
        held++;
        expect(scopeCovers(above.scope, wanted)).toBe(true);
        expect(check(upper, { caller: ["bob"] })).toEqual([]);
        expect(verdict.links.map(({ maxInvocations }) => maxInvocations)).toContain(above.max ?? null);
      }),
      { numRuns: 400 },
    );
    expect(held).toBeGreaterThan(0);
  });
});
