import { chmodSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { isSignedBy, keyIdOf } from "../kernel/signing.ts";
import { stable } from "../kernel/stable.ts";
import { temporaryDir } from "./evidence-for-tests.ts";
import { readHostId } from "./host-identity.ts";
import { keyEventsOf } from "./key-events.ts";
import { openSigningKey } from "./signing-key.ts";

const DAY = 24 * 60 * 60 * 1000;
const NOW = Date.parse("2026-11-16T00:00:00.000Z");

const isTrue = (statement: object, publicKey: string): boolean => {
  const { signature, ...claim } = statement as { signature: string };
  return isSignedBy(publicKey, stable(claim), signature);
};

describe("the host's signing key", () => {
  it("is made once, for its owner only, and attested as the protocol wants it", () => {
    const dir = temporaryDir();
    const key = openSigningKey(dir, "h1");
    expect(statSync(join(dir, "host-key.json")).mode & 0o777).toBe(0o600);
    const again = openSigningKey(dir, "h1");
    expect([key.note, again.note]).toEqual([null, null]);
    chmodSync(join(dir, "host-key.json"), 0o640);
    expect(openSigningKey(dir, "h1").note).toContain("could be read by others (mode 640); it is 600 now");
    expect(again.identity()).toEqual(key.identity());
    const { host_identity: attestation, ...rest } = key.identity();
    expect(rest).toEqual({ assurance: "signed", key_id: key.signer().keyId, public_key: key.signer().publicKey });
    expect(keyIdOf(attestation.public_key)).toBe(attestation.key_id);
    expect(isTrue(attestation, attestation.public_key)).toBe(true);
    expect("anchors" in attestation).toBe(false);
    const schema: unknown = JSON.parse(
      readFileSync(new URL("../../test/chp-schemas/chp-identity.schema.json", import.meta.url), "utf8"),
    );
    const validate = new Ajv2020({ strict: false }).compile(schema as object);
    expect(validate(key.identity()) || validate.errors).toBe(true);
    const generated = { key_id: attestation.key_id, public_key: attestation.public_key };
    expect(keyEventsOf(key.identity()).map(({ type, payload }) => [type, JSON.parse(payload)])).toEqual([
      ["key_generated", { ...generated, generated_at: attestation.valid_from }],
    ]);
    expect(key.material().publicKeys).toEqual([key.signer().publicKey]);
  });

  it("is not taken by a host of another id, and names the host where the configuration does not", () => {
    const dir = temporaryDir();
    expect(readHostId(dir)).toMatch(/^bailiwick-[0-9a-f]{8}$/);
    openSigningKey(dir, "h1");
    expect(readHostId(dir)).toBe("h1");
    expect(() => openSigningKey(dir, "h2")).toThrow("Set host.id to h1");
  });

  it("rotates with the word of the old key, and can be revoked by itself afterwards", () => {
    const dir = temporaryDir();
    const key = openSigningKey(dir, "h1", { now: () => NOW });
    const first = key.signer();
    const continuity = key.rotate();
    const second = key.signer();
    expect(second.keyId).not.toBe(first.keyId);
    expect(continuity).toMatchObject({
      old_public_key: first.publicKey,
      new_public_key: second.publicKey,
      new_key_id: second.keyId,
      rotated_at: "2026-11-16T00:00:00.000Z",
    });
    expect(isTrue(continuity, first.publicKey)).toBe(true);
    expect(key.identity()).toMatchObject({ key_id: second.keyId, key_history: [continuity] });
    expect(key.identity().host_identity.public_key).toBe(second.publicKey);
    expect(() => key.revoke(second.keyId, "x")).toThrow("rotated before");
    expect(() => key.revoke("nothing", "x")).toThrow("no signing key");
    const revocation = key.revoke(first.keyId, "lost laptop");
    expect(isTrue(revocation, first.publicKey)).toBe(true);
    expect(key.revoke(first.keyId, "again")).toEqual(revocation);
    const again = openSigningKey(dir, "h1", { now: () => NOW });
    expect(again.identity()).toEqual(key.identity());
    expect(again.identity().revoked_keys).toEqual([revocation]);
    expect(again.material().publicKeys).toEqual([first.publicKey, second.publicKey]);
    expect(keyEventsOf(key.identity()).map(({ type, payload }) => [type, JSON.parse(payload)])).toEqual([
      ["key_generated", { key_id: first.keyId, public_key: first.publicKey, generated_at: null }],
      ["key_rotated", continuity],
      ["key_revoked", revocation],
    ]);
  });

  it("attests itself again before the time is over, from when it began", () => {
    let now = NOW;
    const dir = temporaryDir();
    const key = openSigningKey(dir, "h1", { now: () => now });
    const first = key.attestation();
    now += 200 * DAY;
    expect(key.attestation()).toEqual(first);
    now += 150 * DAY;
    const renewed = key.attestation();
    expect(renewed.valid_from).toBe(first.valid_from);
    expect(Date.parse(renewed.valid_until ?? "")).toBeGreaterThan(now + 300 * DAY);
    expect(isTrue(renewed, renewed.public_key)).toBe(true);
    expect(openSigningKey(dir, "h1", { now: () => now }).attestation()).toEqual(renewed);
  });

  it("carries the anchors it was given inside what is signed, and none when there are none", () => {
    const key = openSigningKey(temporaryDir(), "h1");
    const anchored = key.anchor([{ type: "domain", domain: "acme.example" }]);
    expect(anchored.anchors).toHaveLength(1);
    expect(isTrue(anchored, anchored.public_key)).toBe(true);
    expect("anchors" in key.anchor([])).toBe(false);
  });

  it("is sealed with a passphrase, opens with that one only, and keeps its secret out of the file", () => {
    const dir = temporaryDir();
    const seed = Buffer.from(openSigningKey(dir, "h1").material().seed).toString("base64");
    const file = join(dir, "host-key.json");
    expect(readFileSync(file, "utf8")).toContain(seed);
    const sealed = openSigningKey(dir, "h1", { passphrase: "correct horse" });
    expect(readFileSync(file, "utf8")).not.toContain(seed);
    expect(() => openSigningKey(dir, "h1")).toThrow("BAILIWICK_KEY_PASSPHRASE");
    expect(() => openSigningKey(dir, "h1", { passphrase: "wrong" })).toThrow("does not open");
    const again = openSigningKey(dir, "h1", { passphrase: "correct horse" });
    expect(again.signer().publicKey).toBe(sealed.signer().publicKey);
    again.rotate();
    expect(() => openSigningKey(dir, "h1")).toThrow("is sealed");
  });

  it("says what to do about a damaged file", () => {
    const dir = temporaryDir();
    for (const text of ["", "{}", "null", '{"version":1,"host_id":"h1","attestation":{},"history":[],"revoked":[]}']) {
      writeFileSync(join(dir, "host-key.json"), text);
      expect(() => openSigningKey(dir, "h1")).toThrow("Restore it from a backup");
    }
  });
});
