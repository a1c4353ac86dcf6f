import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { signerOf } from "../kernel/signing.ts";
import { stable } from "../kernel/stable.ts";
import { identityOf, makeBundle, makeLines, SIGNER, testVector } from "./archive/signed-log-for-tests.ts";
import { temporaryDir } from "./evidence-for-tests.ts";
import { KEY_FILE } from "./signing-key-file.ts";
import { openSigningKey } from "./signing-key.ts";
import { expectedKeyOf, readExpectedKey, type ExpectedKey } from "./verify-evidence-key.ts";
import type { Json } from "./verify-evidence-text.ts";
import { verifyEvidence } from "./verify-evidence.ts";

const verifyText = (text: string, options = {}): ReturnType<typeof verifyEvidence> =>
  verifyEvidence(text.split("\n"), options);
const bundleOf = (name: string): Json => {
  const file = testVector(name);
  return (file["bundle"] ?? file) as Json;
};
const made = (): Json => JSON.parse(makeBundle(makeLines([{ type: "execution_started" }, {}, {}]))) as Json;
const isAccepted = (text: string): boolean => {
  const { valid, tier } = verifyText(text);
  return valid && tier === "signed";
};

/** Every place in a value, as a path. */
const pathsOf = (value: unknown, path: readonly string[] = []): (readonly string[])[] =>
  typeof value === "object" && value !== null
    ? [path, ...Object.entries(value).flatMap(([key, member]) => pathsOf(member, [...path, key]))]
    : [path];
const edit = (
  value: Json,
  path: readonly string[],
  change: (at: Record<string, unknown>, key: string) => void,
): string => {
  const copy = structuredClone(value) as Record<string, unknown>;
  let at = copy;
  for (const key of path.slice(0, -1)) at = at[key] as Record<string, unknown>;
  change(at, path.at(-1) ?? "");
  return JSON.stringify(copy);
};
const otherThan = (value: unknown): unknown[] => {
  if (typeof value === "string") return [`${value}x`, value.slice(1), "", null, [value]];
  if (typeof value === "number") return [value + 1, value + 0.5, String(value), 2 ** 60, null];
  if (typeof value === "boolean") return [!value, null, 1];
  return value === null ? ["", 0, false, {}, []] : [null, "x"];
};

describe("verifying a bundle", () => {
  it.each([
    "chp/signed-bundle.json",
    "chp/signed-bundle-jcs.json",
    "chp/signed-bundle-anchored.json",
    "chp/signed-bundle-complete.json",
    "chp/governance-bundle.json",
    "chp/bundle-withheld.json",
    "chp/did-anchored-bundle.json",
    "chp/sealed-bundle.json",
    "chp/sealed-bundle-v2.json",
    "bailiwick/evidence.json",
  ])("accepts %s as signed", (name) => {
    const found = verifyText(JSON.stringify(bundleOf(name), null, 2));
    expect(found).toMatchObject({ valid: true, tier: "signed", firstBroken: null, scope: "bundle" });
    expect(found.checks).toMatchObject({ event_hashes: "pass", chain: "pass", root_hash: "pass", signature: "pass" });
    expect(found.count).toBeGreaterThan(0);
  });

  it("accepts what this host makes, with payloads and without", () => {
    const lines = makeLines([{ type: "execution_started" }, {}]);
    const all = { event_hashes: "pass", chain: "pass", cover: "pass", root_hash: "pass", completeness: "pass" };
    const signed = { signature: "pass", key_id: "pass", host_identity: "pass", sequence: "pass", key_pinned: "absent" };
    const whole = verifyText(makeBundle(lines));
    expect(whole).toMatchObject({ valid: true, tier: "signed", count: 2, withheld: 0, checks: { ...all, ...signed } });
    const without = verifyText(makeBundle(lines, { payloads: false }));
    expect(without).toMatchObject({ valid: true, tier: "signed", withheld: 2, checks: { ...all, ...signed } });
    expect(without.checks.payload_commitments).toBe("absent");
  });

  it("sees the change that other verifiers of the protocol accept", () => {
    const { bundle, tampered } = testVector("bailiwick/evidence.json") as { bundle: Json; tampered: { to: string } };
    const text = edit(bundle, ["events", "1", "subject", "id"], (at, key) => (at[key] = tampered.to));
    expect(verifyText(text)).toMatchObject({
      valid: false,
      checks: { event_hashes: "pass", chain: "pass", root_hash: "pass", signature: "pass", cover: "fail" },
      firstBroken: { sequence: 2, check: "cover" },
    });
  });

  it("sees every single member of every event, of the header and of the signature changed", () => {
    const bundle = made();
    expect(isAccepted(JSON.stringify(bundle))).toBe(true);
    const missed = pathsOf(bundle)
      .slice(1)
      .flatMap((path) => {
        const value = path.reduce<unknown>((at, key) => (at as Json)[key], bundle);
        return otherThan(value).map((other) => [path, other] as const);
      })
      .filter(([path, other]) => isAccepted(edit(bundle, path, (at, key) => (at[key] = other))));
    expect(missed).toEqual([]);
  });

  it("sees every single member removed, and every object with a member more", () => {
    const bundle = made();
    const paths = pathsOf(bundle).slice(1);
    const removed = paths.filter((path) =>
      isAccepted(edit(bundle, path, (at, key) => (Array.isArray(at) ? at.splice(Number(key), 1) : delete at[key]))),
    );
    expect(removed).toEqual([]);
    // To a text or a number nothing can be added.
    const objects = [[], ...paths].filter((path) => {
      const at = path.reduce<unknown>((value, key) => (value as Json)[key], bundle);
      return typeof at === "object" && at !== null;
    });
    const added = objects.filter((path) =>
      isAccepted(edit(bundle, [...path, "zz"], (at) => (Array.isArray(at) ? at.push(1) : (at["zz"] = 1)))),
    );
    expect(added).toEqual([]);
  });

  it("sees events removed, reordered, repeated and taken from elsewhere", () => {
    const bundle = made();
    const [a, b, c] = bundle["events"] as Json[];
    const foreign = bundleOf("bailiwick/evidence.json")["events"] as Json[];
    const lists = [[b, c], [a, c], [a, b], [], [b, a, c], [a, c, b], [a, b, b, c], [a, b, c, ...foreign]];
    expect(lists.filter((events) => isAccepted(JSON.stringify({ ...bundle, events })))).toEqual([]);
  });

  it("takes nothing for signed that is not, and says what is missing", () => {
    const bundle = made();
    const { signature: _s, ...unsigned } = bundle;
    expect(verifyText(JSON.stringify(unsigned))).toMatchObject({ valid: false, checks: { signature: "fail" } });
    const plain = JSON.stringify({ ...unsigned, assurance: "hash-chain", completeness: undefined });
    expect(verifyText(plain)).toMatchObject({ valid: true, tier: "hash-chain", checks: { signature: "absent" } });
    const { host_identity: _i, ...anonymous } = bundle;
    expect(verifyText(JSON.stringify(anonymous))).toMatchObject({
      tier: "hash-chain",
      checks: { host_identity: "absent" },
    });
    const unknown = JSON.stringify({ ...bundle, canonicalization: "chp-stable-v2" });
    expect(verifyText(unknown)).toMatchObject({ valid: false, checks: { signature: "fail" } });
  });

  it("does not believe an attestation outside its time or of another key", () => {
    const bundle = made();
    const other = signerOf(Buffer.alloc(32, 7));
    const { signature: _s, ...signed } = identityOf(SIGNER)["host_identity"] as Json;
    const late = { ...signed, valid_from: "2027-01-01T00:00:00.000Z" };
    const future = { ...late, signature: SIGNER.sign(stable(late)) };
    for (const host_identity of [future, identityOf(other)["host_identity"]]) {
      expect(verifyText(JSON.stringify({ ...bundle, host_identity }))).toMatchObject({
        valid: false,
        checks: { signature: "pass", host_identity: "fail" },
      });
    }
  });

  it("does not believe an anchor that the named key did not sign", () => {
    const bundle = bundleOf("chp/did-anchored-bundle.json");
    const { signature: _s, ...signed } = bundle["host_identity"] as Json;
    const other = { ...signed, host_id: "other-host" };
    const host_identity = { ...other, signature: SIGNER.sign(stable(other)) };
    const header = { ...bundle, host_id: "other-host", host_identity };
    expect(verifyText(JSON.stringify(header)).checks.host_identity).toBe("fail");
    expect(verifyText(JSON.stringify(bundle)).checks.host_identity).toBe("pass");
  });

  it("reads a member that stands there twice as a forgery", () => {
    const text = makeBundle(makeLines([{}])).replace('"host_id": ', '"host_id": "other", "host_id": ');
    expect(verifyText(text)).toMatchObject({ valid: false });
  });
});

describe("the expected key", () => {
  const old = signerOf(Buffer.alloc(32, 1));
  const middle = signerOf(Buffer.alloc(32, 2));
  const newest = signerOf(Buffer.alloc(32, 3));
  const step = (from: typeof old, to: typeof old, by = from): Json => {
    const signed = {
      old_key_id: from.keyId,
      old_public_key: from.publicKey,
      new_key_id: to.keyId,
      new_public_key: to.publicKey,
      rotated_at: "2026-05-01T00:00:00.000Z",
    };
    return { ...signed, signature: by.sign(stable(signed)) };
  };
  const revoked = (key: typeof old, by = key): Json => {
    const signed = {
      revoked_key_id: key.keyId,
      revoked_public_key: key.publicKey,
      revoked_at: "2026-06-01T00:00:00.000Z",
      reason: "lost",
    };
    return { ...signed, signature: by.sign(stable(signed)) };
  };
  const document = (history: Json[], revocations: Json[] = []): ExpectedKey => {
    const found = expectedKeyOf({ ...identityOf(newest), key_history: history, revoked_keys: revocations });
    if (found === null) throw new Error("no document");
    return found;
  };
  const pinned = (pin: ExpectedKey | null, signer: typeof old, documents: ExpectedKey[] = []): string => {
    if (pin === null) throw new Error("no pin");
    const { checks, valid } = verifyText(makeBundle(makeLines([{}]), { signer }), { key: pin, documents });
    expect(valid).toBe(true);
    return checks.key_pinned;
  };

  it("is read from base64, a key file or an identity document", () => {
    expect(pinned(readExpectedKey(`${SIGNER.publicKey}\n`), SIGNER)).toBe("pass");
    expect(pinned(readExpectedKey(JSON.stringify({ public_key: SIGNER.publicKey })), SIGNER)).toBe("pass");
    expect(pinned(readExpectedKey(JSON.stringify(identityOf(SIGNER))), SIGNER)).toBe("pass");
    expect(pinned(readExpectedKey(old.publicKey), SIGNER)).toBe("fail");
    const dir = temporaryDir();
    const { public_key: own } = openSigningKey(dir, "test-host").identity();
    expect(readExpectedKey(readFileSync(join(dir, KEY_FILE), "utf8"))).toMatchObject({ publicKey: own });
    expect([readExpectedKey("nothing"), readExpectedKey("{}"), readExpectedKey('{"public_key": 1}')]).toEqual([
      null,
      null,
      null,
    ]);
  });

  it("leads to a newer one over what each old key signed, and over nothing else", () => {
    const way = [step(old, middle), step(middle, newest)];
    const pin = readExpectedKey(old.publicKey);
    expect(pinned(pin, newest)).toBe("fail");
    expect(pinned(pin, newest, [document(way)])).toBe("pass");
    expect(pinned(pin, newest, [document([step(old, middle)])])).toBe("fail");
    expect(pinned(pin, newest, [document([step(old, newest, newest)])])).toBe("fail");
    const bent = { ...step(old, newest), new_public_key: newest.publicKey, new_key_id: middle.keyId };
    expect(pinned(pin, newest, [document([bent])])).toBe("fail");
  });

  it("does not lead past a revoked one", () => {
    const way = [step(old, middle), step(middle, newest)];
    const pin = readExpectedKey(old.publicKey);
    for (const key of [old, middle, newest]) {
      expect(pinned(pin, newest, [document(way, [revoked(key)])])).toBe("fail");
      expect(pinned(pin, newest, [document(way, [revoked(key, SIGNER)])])).toBe("pass");
    }
  });

  it("as a document also covers what the host signed before, but only what that document says", () => {
    const way = [step(old, middle), step(middle, newest)];
    expect(pinned(document(way), old)).toBe("pass");
    expect(pinned(document([]), old, [document(way)])).toBe("fail");
  });
});
