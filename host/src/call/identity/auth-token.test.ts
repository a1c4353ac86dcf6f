import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { signerOf, type Signer } from "../../kernel/signing.ts";
import { stable } from "../../kernel/stable.ts";
import { createIdentify } from "./identify.ts";
import { verifyAuthToken } from "./verify-auth-token.ts";

type Json = Record<string, unknown>;

const NOW = Date.parse("2026-03-01T12:00:00Z");
const iso = (at: number): string => new Date(at).toISOString();
const [own, other] = [signerOf(Buffer.alloc(32, 1)), signerOf(Buffer.alloc(32, 2))];

const token = (change: Json = {}, signer: Signer = own): Json => {
  const signed = {
    kind: "auth-token",
    sub: "partner",
    aud: "our-host",
    iat: iso(NOW - 60_000),
    exp: iso(NOW + 600_000),
    canonicalization: "chp-stable-v1",
    ...change,
  };
  return {
    ...signed,
    caller: { host_id: signed.sub, public_key: signer.publicKey },
    signature: { algorithm: "ed25519", key_id: signer.keyId, signature: signer.sign(stable(signed)) },
  };
};

const failed = (value: unknown, now = NOW): string[] => {
  const keyOf = (sub: string) => (sub === "partner" ? own.publicKey : null);
  const { valid, checks } = verifyAuthToken(value, { now, audience: "our-host", keyOf });
  const names = Object.keys(checks).filter((name) => !checks[name]);
  expect(valid).toBe(names.length === 0);
  return names;
};

it("the published token verifies in all but its lifetime, which is a year", () => {
  const url = new URL("../../../test/vectors/chp/auth-token.json", import.meta.url);
  const { note: _, ...vector } = JSON.parse(readFileSync(url, "utf8")) as Json;
  const caller = vector["caller"] as Json;
  const context = {
    now: Date.parse(vector["iat"] as string),
    audience: "vector-target-host",
    keyOf: (sub: string) => (sub === "vector-caller" ? (caller["public_key"] as string) : null),
  };
  const { checks } = verifyAuthToken(vector, context);
  expect(Object.keys(checks).filter((name) => !checks[name])).toEqual(["lifetime"]);
  const tampered = verifyAuthToken({ ...vector, exp: "2026-01-01T00:30:00Z" }, context);
  expect(Object.keys(tampered.checks).filter((name) => !tampered.checks[name])).toEqual(["signature"]);
  const foreign = {
    ...vector,
    caller: { ...caller, host_identity: { ...(caller["host_identity"] as Json), host_id: "x" } },
  };
  expect(verifyAuthToken(foreign, context).checks["attestation"]).toBe(false);
});

describe("an auth-token", () => {
  it("holds from the moment it was issued until it ends, an hour at most", () => {
    expect(failed(token())).toEqual([]);
    expect(failed(token({ iat: iso(NOW) }))).toEqual([]);
    expect(failed(token({ exp: iso(NOW) }))).toEqual(["window"]);
    expect(failed(token({ iat: iso(NOW + 1) }))).toEqual(["window"]);
    expect(failed(token({ iat: iso(NOW - 1), exp: iso(NOW + 3_599_999) }))).toEqual([]);
    expect(failed(token({ iat: iso(NOW - 1), exp: iso(NOW + 3_600_000) }))).toEqual(["lifetime"]);
    expect(failed(token({ iat: "now", exp: "later" }))).toEqual(["window", "lifetime"]);
  });

  it("is for one host", () => expect(failed(token({ aud: "another-host" }))).toEqual(["audience"]));

  it("needs the very key that the name is pinned to", () => {
    expect(failed(token({}, other))).toEqual(["pinned"]);
    expect(failed(token({ sub: "somebody" }))).toEqual(["pinned"]);
    const borrowed = { ...token({}, other), caller: { host_id: "partner", public_key: own.publicKey } };
    expect(failed(borrowed)).toEqual(["key_id", "signature"]);
    const renamed = { ...token(), caller: { host_id: "somebody", public_key: own.publicKey } };
    expect(failed(renamed)).toEqual(["subject"]);
  });

  it.each<[string, (value: Json) => void, string]>([
    ["another key id", (t) => ((t["signature"] as Json)["key_id"] = "0".repeat(16)), "key_id"],
    ["a longer life than was signed", (t) => (t["exp"] = iso(NOW + 700_000)), "signature"],
    ["an attestation that is none", (t) => ((t["caller"] as Json)["host_identity"] = {}), "attestation"],
    ["no algorithm", (t) => ((t["signature"] as Json)["algorithm"] = "none"), "form"],
    ["another canonical form", (t) => (t["canonicalization"] = "chp-jcs-v1"), "form"],
    ["a member that nothing signs", (t) => (t["admin"] = true), "form"],
    ["a name without a canonical form", (t) => (t["sub"] = "partner\ud800"), "form"],
  ])("with %s does not hold", (_, change, expected) => {
    const value = token();
    change(value);
    expect(failed(value)).toEqual([expected]);
  });

  it.each([null, 1, "x", [], {}, { kind: "auth-token" }])("is not what %j is, and saying so is no error", (value) => {
    expect(failed(value)).toEqual(["form"]);
  });
});

describe("a caller with an auth-token", () => {
  let now = NOW;
  const identify = createIdentify({
    findKey: () => null,
    noAuth: () => false,
    isMember: () => false,
    principals: { "agent:planner": { roles: [], permissions: ["a:*"] } },
    tokens: { partner: own.publicKey, "agent://planner": other.publicKey, "b/a\u0000d": other.publicKey },
    hostId: "our-host",
    now: () => now,
  });
  const text = JSON.stringify(token());
  const forms = [text, Buffer.from(text).toString("base64"), Buffer.from(text).toString("base64url")];

  it.each(forms)("is known at the CHP door, by %.20s, and at no other", (shown) => {
    now = NOW;
    const principal = identify({ kind: "chp-token", token: shown }, "chp");
    expect(principal).toMatchObject({ id: "service:partner", subject: { id: "partner", type: "auth_token" } });
    expect(identify({ kind: "bearer", token: shown }, "chp")).toBe(principal);
    expect(identify({ kind: "bearer", token: shown }, "mcp")).toBeNull();
    expect(identify({ kind: "chp-key", text: shown }, "chp")).toBeNull();
    expect(identify.knows({ kind: "bearer", token: shown })).toBe(true);
  });

  it("may be named as a principal, and has what that one has", () => {
    const planner = { kind: "chp-token", token: JSON.stringify(token({ sub: "agent://planner" }, other)) } as const;
    expect(identify(planner, "chp")).toMatchObject({ id: "agent:planner", kind: "agent", permissions: ["a:*"] });
  });

  it("is known no more when it has ended, though it was known before", () => {
    now = NOW;
    const shown = { kind: "chp-token", token: text } as const;
    expect(identify(shown, "chp")).not.toBeNull();
    now = NOW + 600_000;
    expect(identify(shown, "chp")).toBeNull();
    now = NOW;
  });

  it.each(["", "{", "[]", "null", "AAAA", "{}".repeat(9000), text.replace("our-host", "other-host")])(
    "is nobody with %.30j",
    (shown) => expect(identify({ kind: "chp-token", token: shown }, "chp")).toBeNull(),
  );
});
