import { createPrivateKey, hash, sign } from "node:crypto";
import { describe, expect, it } from "vitest";
import { signerOf, type Signer } from "../../kernel/signing.ts";
import { stable } from "../../kernel/stable.ts";
import { openTestArchive, reader, type TestArchive } from "../archive/archive-for-tests.ts";
import type { Json } from "../archive/archive-parts.ts";
import { attest, testVector } from "../archive/signed-log-for-tests.ts";
import { draft } from "../evidence-for-tests.ts";
import { findAnchorDefect, findRevocationDefect, findWitnessDefect, isKeyAnchor } from "./check-statement.ts";
import { revocationHead } from "./revocation-head.ts";
import { isSshSigned, keyOfDid } from "./ssh-signature.ts";
import { countWitnesses } from "./witness-quorum.ts";

const AT = "2026-11-16T10:00:00.000Z";
const key = (n: number): Signer => signerOf(Buffer.alloc(32, n));

const signed = (
  header: Json,
  by: { readonly member: string; readonly signer: Signer; readonly host: string },
): Json => ({
  ...header,
  [by.member]: { host_id: by.host, public_key: by.signer.publicKey, host_identity: attest(by.signer, by.host) },
  signature: { algorithm: "ed25519", key_id: by.signer.keyId, signature: by.signer.sign(stable(header)) },
});
const witnessOf = (head: Json, n: number, more: Json = {}): Json => {
  const { host_id, sequence, store_head } = head;
  const header = {
    kind: "chain-witness",
    host_id,
    sequence,
    store_head,
    witnessed_at: AT,
    canonicalization: "chp-stable-v1",
  };
  return signed({ ...header, ...more }, { member: "witness", signer: key(n), host: `witness-${n}` });
};
const revocationOf = (mandate_id: string, n: number): Json =>
  signed(
    { kind: "mandate-revocation", mandate_id, revoked_at: AT, reason: "", canonicalization: "chp-stable-v1" },
    { member: "principal", signer: key(n), host: `principal-${n}` },
  );

const base58 = (bytes: Buffer): string => {
  const signs = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
  let text = "";
  for (let value = BigInt(`0x${bytes.toString("hex")}`); value > 0n; value /= 58n)
    text = `${signs[Number(value % 58n)]}${text}`;
  return text;
};
const wire = (...parts: readonly (string | Buffer)[]): Buffer =>
  Buffer.concat(
    parts.map((part) => {
      const bytes = Buffer.from(part);
      const length = Buffer.alloc(4);
      length.writeUInt32BE(bytes.length);
      return Buffer.concat([length, bytes]);
    }),
  );
/** As `ssh-keygen -Y sign` does it. */
const sshSign = (seed: Buffer, namespace: string, text: string): { did: string; countersignature: string } => {
  const head = Buffer.from("302e020100300506032b657004220420", "hex");
  const secret = createPrivateKey({ key: Buffer.concat([head, seed]), format: "der", type: "pkcs8" });
  const raw = Buffer.from(signerOf(seed).publicKey, "base64");
  const message = Buffer.concat([Buffer.from("SSHSIG"), wire(namespace, "", "sha512", hash("sha512", text, "buffer"))]);
  const signature = sign(null, message, secret);
  const parts = wire(wire("ssh-ed25519", raw), namespace, "", "sha512", wire("ssh-ed25519", signature));
  const blob = Buffer.concat([Buffer.from("SSHSIG\0\0\0\u0001"), parts]).toString("base64");
  const lines = blob.replace(/.{70}/g, "$&\n");
  return {
    did: `did:key:z${base58(Buffer.concat([Buffer.from([0xed, 0x01]), raw]))}`,
    countersignature: `-----BEGIN SSH SIGNATURE-----\n${lines}\n-----END SSH SIGNATURE-----\n`,
  };
};

/** Every single member changed or left out. */
const bent = (value: Json): Json[] => {
  const paths = (at: unknown, path: string[] = []): string[][] =>
    typeof at === "object" && at !== null
      ? [path, ...Object.entries(at).flatMap(([name, member]) => paths(member, [...path, name]))]
      : [path];
  return paths(value)
    .slice(1)
    .flatMap((path) =>
      ["x", undefined].map((other) => {
        const copy = structuredClone(value) as Record<string, unknown>;
        const parent = path.slice(0, -1).reduce<Record<string, unknown>>((at, name) => at[name] as never, copy);
        const last = path.at(-1) ?? "";
        parent[last] = other === undefined ? undefined : `${String(parent[last])}${other}`;
        return JSON.parse(JSON.stringify(copy)) as Json;
      }),
    );
};

describe("statements of the protocol's vectors", () => {
  it("verify, and no longer when any member of them is changed or missing", () => {
    const checks: readonly (readonly [string, (statement: unknown) => string | null])[] = [
      ["chain-witness", findWitnessDefect],
      ["chain-witness-revfresh", findWitnessDefect],
      ["mandate-revocation", findRevocationDefect],
      ["store-head-anchor", findAnchorDefect],
    ];
    for (const [name, check] of checks) {
      const statement = testVector(`chp/${name}.json`);
      expect(check(statement)).toBe(null);
      expect(bent(statement).filter((each) => check(each) === null)).toEqual([]);
      expect(check({ ...statement, more: 1 })).not.toBe(null);
    }
  });

  it("count as a quorum by public key, pinned ones only", () => {
    const vector = testVector("chp/witness-quorum.json") as Json & { statements: Json[] };
    const { statements, host_id, sequence, store_head } = vector;
    const keys = statements.map((each) => (each["witness"] as { public_key: string }).public_key);
    const head = { hostId: String(host_id), sequence: Number(sequence), storeHead: String(store_head) };
    expect(countWitnesses(statements, { ...head, pinned: new Set(keys) })).toBe(vector["expected_distinct"]);
    expect(countWitnesses([...statements, ...statements], { ...head, pinned: new Set(keys) })).toBe(3);
    expect(countWitnesses(statements, { ...head, pinned: new Set(keys.slice(1)) })).toBe(2);
    expect(countWitnesses(statements, { ...head, sequence: 41, pinned: new Set(keys) })).toBe(0);
  });

  it("vouch for a host's key by an SSH key that is named by itself", () => {
    const { host_identity } = testVector("chp/did-anchored-bundle.json") as Json & { host_identity: Json };
    const [anchor] = host_identity["anchors"] as Json[];
    const [hostId, publicKey] = [String(host_identity["host_id"]), String(host_identity["public_key"])];
    expect(isKeyAnchor(anchor, { hostId, publicKey })).toBe(true);
    expect(isKeyAnchor(anchor, { hostId: "other", publicKey })).toBe(false);
    expect(isKeyAnchor(anchor, { hostId, publicKey: key(1).publicKey })).toBe(false);
  });

  it("have a head over all that is revoked", () => {
    expect(revocationHead([], [])).toBe("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    const [a, b] = [
      { mandateId: "m1", publicKey: "A" },
      { mandateId: "m2", publicKey: "B" },
    ];
    expect(revocationHead([a, b], ["k"])).toBe(revocationHead([b, a], ["k"]));
    expect(revocationHead([a], [])).not.toBe(revocationHead([b], []));
  });
});

describe("names and signatures of SSH keys", () => {
  it.each(["did:key:z", "did:key:z6Mk", "did:web:x", "did:key:z0OIl", null, 7, `did:key:z${"1".repeat(60)}`])(
    "do not take %s for a name",
    (did) => expect(keyOfDid(did)).toBe(null),
  );

  it("answer whatever the armour holds", () => {
    const { anchor } = testVector("chp/store-head-anchor.json") as Json & { anchor: Json };
    const armour = String(anchor["countersignature"]);
    const bytes = Buffer.from(armour.split("\n").slice(1, -2).join(""), "base64");
    const wrap = (raw: Buffer): string =>
      `-----BEGIN SSH SIGNATURE-----\n${raw.toString("base64")}\n-----END SSH SIGNATURE-----\n`;
    const ask = (signature: unknown): boolean =>
      isSshSigned({ did: anchor["did"], namespace: "chp-store-head-anchor", text: "", signature });
    for (let i = 0; i < bytes.length; i++) {
      const flipped = Buffer.from(bytes);
      flipped[i] = (flipped[i] ?? 0) ^ 0xff;
      expect([ask(wrap(flipped)), ask(wrap(bytes.subarray(0, i)))]).toEqual([false, false]);
    }
    expect([ask(null), ask(""), ask(armour), ask(wrap(Buffer.concat([bytes, Buffer.alloc(4)])))]).toEqual(
      Array.from({ length: 4 }, () => false),
    );
  });
});

describe("what a host takes in", () => {
  const started = async (pinned: string[] = []): Promise<TestArchive> => {
    const test = await openTestArchive({ pinned });
    for (let i = 0; i < 5; i++) await test.log.append(draft());
    return test;
  };
  const codeOf = async (promise: Promise<unknown>): Promise<unknown> =>
    promise.then(
      () => "accepted",
      (error: { kind: string; details: Json }) => error.details["code"] ?? error.kind,
    );

  it("are witnesses of a head that it had, of either scheme, once each", async () => {
    const test = await started();
    const { statements } = test.archive;
    const v1 = await test.archive.head("chp-store-head-v1");
    const v2 = await test.archive.head("chp-store-head-v2");
    expect(await statements.addWitness(witnessOf(v2, 1))).toEqual({
      accepted: true,
      sequence: 5,
      witness: "witness-1",
    });
    await statements.addWitness(witnessOf(v1, 2, { revocation_head: v1["revocation_head"] }));
    await statements.addWitness(witnessOf(v2, 1));
    expect(statements.witnesses().length).toBe(2);
    const forged = { ...witnessOf(v2, 3), store_head: "0".repeat(64) };
    expect(await codeOf(statements.addWitness(forged))).toBe("invalid_witness");
    const wrong = [
      { ...v2, store_head: "0".repeat(64) },
      { ...v2, sequence: 4 },
      { ...v2, sequence: 99 },
      { ...v2, host_id: "x" },
    ];
    for (const head of wrong) expect(await codeOf(statements.addWitness(witnessOf(head, 3)))).toBe("head_mismatch");
    const stale = witnessOf(v2, 3, { revocation_head: "0".repeat(64) });
    expect(await codeOf(statements.addWitness(stale))).toBe("revocation_head_mismatch");
    const { events } = await test.archive.events(reader(), { limit: 9, type: "dev.bailiwick.witness_added" });
    expect(events.length).toBe(2);
  });

  it("are revocations by whoever holds the key, and they count for that key's mandates alone", async () => {
    const test = await started();
    const { statements } = test.archive;
    const before = await test.archive.head("chp-store-head-v2");
    const answer = await statements.addRevocation(revocationOf("mnd_1", 1), "service:a");
    expect(answer).toEqual({ accepted: true, mandate_id: "mnd_1", principal: "principal-1" });
    expect(statements.isRevoked("mnd_1", key(1).publicKey)).toBe(true);
    expect([statements.isRevoked("mnd_1", key(2).publicKey), statements.isRevoked("mnd_2", key(1).publicKey)]).toEqual([
      false,
      false,
    ]);
    expect(
      await codeOf(statements.addRevocation({ ...revocationOf("mnd_1", 1), mandate_id: "mnd_2" }, "service:a")),
    ).toBe("invalid_revocation");
    for (const odd of [null, [], "x", 1, { kind: "mandate-revocation" }])
      expect(await codeOf(statements.addRevocation(odd, "service:a"))).toBe("invalid_revocation");
    expect(statements.revocations()).toMatchObject({ keys: [], mandates: [{ mandate_id: "mnd_1" }] });
    const after = await test.archive.head("chp-store-head-v2");
    expect(after["revocation_head"]).not.toBe(before["revocation_head"]);
  });

  it("are there again after a restart, in the order in which they came", async () => {
    const test = await started();
    const head = await test.archive.head("chp-store-head-v2");
    for (const n of [3, 1, 2]) await test.archive.statements.addWitness(witnessOf(head, n));
    await test.archive.statements.addRevocation(revocationOf("mnd_1", 1), "service:a");
    await test.log.close();
    const again = await openTestArchive({ dir: test.dir });
    const names = again.archive.statements.witnesses().map((each) => (each["witness"] as Json)["host_id"]);
    expect(names).toEqual(["witness-3", "witness-1", "witness-2"]);
    expect(again.archive.statements.isRevoked("mnd_1", key(1).publicKey)).toBe(true);
  });

  it("are anchors of keys outside, about a head that it had", async () => {
    const test = await started();
    const anchor = testVector("chp/store-head-anchor.json");
    expect(await codeOf(test.archive.statements.addAnchor(anchor))).toBe("head_mismatch");
    expect(await codeOf(test.archive.statements.addAnchor({ ...anchor, sequence: 1 }))).toBe("invalid_anchor");
    expect(test.archive.statements.anchors()).toEqual([]);
    const { sequence, store_head } = await test.archive.head("chp-store-head-v2");
    const header = { kind: "store-head-anchor", host_id: "test-host", sequence, store_head, anchored_at: AT };
    const { did, countersignature } = sshSign(Buffer.alloc(32, 9), "chp-store-head-anchor", stable(header));
    const own = { ...header, store_head_scheme: "chp-store-head-v2", anchor: { type: "did", did, countersignature } };
    expect(await test.archive.statements.addAnchor(own)).toEqual({ accepted: true, sequence, anchor_did: did });
    expect(test.archive.statements.anchors()).toEqual([own]);
  });
});
