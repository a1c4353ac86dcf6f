import { describe, expect, it } from "vitest";
import type { Beside } from "../../kernel/evidence.ts";
import { signerOf } from "../../kernel/signing.ts";
import { stable } from "../../kernel/stable.ts";
import type { Json } from "../archive/archive-parts.ts";
import { attest } from "../archive/signed-log-for-tests.ts";
import { openStatements, type KeptAndHead } from "./open-statements.ts";

const signer = signerOf(Buffer.alloc(32, 1));
const pinned = signerOf(Buffer.alloc(32, 2));

const witness = (sequence: number, by = signer): Json => {
  const header = {
    kind: "chain-witness",
    host_id: "h",
    sequence,
    store_head: "a".repeat(64),
    witnessed_at: "2026-11-16T10:00:00.000Z",
    canonicalization: "chp-stable-v1",
  };
  const signature = { algorithm: "ed25519", key_id: by.keyId, signature: by.sign(stable(header)) };
  return { ...header, witness: { host_id: "w", public_key: by.publicKey, host_identity: attest(by, "w") }, signature };
};

const revocation = (mandate: string, by = signer): Json => {
  const header = {
    kind: "mandate-revocation",
    mandate_id: mandate,
    revoked_at: "2026-11-16T10:00:00.000Z",
    reason: "",
    canonicalization: "chp-stable-v1",
  };
  const signature = { algorithm: "ed25519", key_id: by.keyId, signature: by.sign(stable(header)) };
  const principal = { host_id: "p", public_key: by.publicKey, host_identity: attest(by, "p") };
  return { ...header, principal, signature };
};

const open = (written: Beside[], kept: readonly (readonly [string, string])[] = []): KeptAndHead =>
  openStatements({
    hostId: "h",
    log: {
      append: (_draft, beside) => {
        written.push(beside ?? {});
        return Promise.resolve({ eventId: "evt", sequence: 1 });
      },
    },
    state: { entries: (space) => (space === "revocation" ? kept : []), reply: () => null },
    hadHead: () => Promise.resolve(true),
    pinnedWitnesses: new Set([pinned.publicKey]),
    pinnedPrincipals: new Set([pinned.publicKey]),
    revokedKeys: () => [],
  });

it("keeps a thousand witnesses, and the oldest whose key is not pinned makes room", async () => {
  const written: Beside[] = [];
  const statements = open(written);
  await statements.addWitness(witness(0, pinned));
  for (let i = 1; i < 1000; i++) await statements.addWitness(witness(i));
  await Promise.all([statements.addWitness(witness(1000)), statements.addWitness(witness(1001))]);
  const kept = statements.witnesses().map((each) => Number(each["sequence"]));
  expect(kept.length).toBe(1000);
  expect([kept[0], kept[1], kept.at(-1)]).toEqual([0, 3, 1001]);
  expect(written.at(-1)?.state?.map(({ value }) => value === null)).toEqual([false, true]);
});

it("does not give a pinned witness up for one that is not", async () => {
  const statements = open([]);
  for (let i = 0; i < 1000; i++) await statements.addWitness(witness(i, pinned));
  await expect(statements.addWitness(witness(1))).rejects.toMatchObject({ kind: "quota_exceeded" });
  await statements.addWitness(witness(1000, pinned));
  expect(statements.witnesses().length).toBe(1000);
  expect(statements.witnesses()[0]).toMatchObject({ sequence: 1 });
});

/** So many as they are kept, all from one sender. */
const sent = (count: number, sender: string): [string, string][] =>
  Array.from({ length: count }, (_, i) => [
    `${String(i).padStart(5, "0")}${sender}.${sender}`,
    stable({ mandate_id: `${sender}-${i}`, principal: { public_key: signer.publicKey } }),
  ]);

const mandatesOf = (statements: KeptAndHead): unknown[] => {
  const ids: unknown[] = [];
  for (let after: unknown = ""; typeof after === "string";) {
    const page = statements.revocations(after);
    const mandates = page["mandates"] as Json[];
    expect(mandates.length).toBeLessThanOrEqual(1000);
    ids.push(...mandates.map((each) => each["mandate_id"]));
    after = page["truncated"] === true ? page["after"] : null;
  }
  return ids;
};

describe("revocations", () => {
  it("of one caller are a thousand, and neither another nor a pinned principal pays for it", async () => {
    const statements = open([]);
    for (let i = 0; i < 1000; i++) await statements.addRevocation(revocation(`m${i}`), "service:flood");
    const more = statements.addRevocation(revocation("m1000"), "service:flood");
    await expect(more).rejects.toMatchObject({ kind: "quota_exceeded", next: expect.stringContaining("auth.") });
    await statements.addRevocation(revocation("other"), "service:quiet");
    await statements.addRevocation(revocation("pinned", pinned), "service:flood");
    expect(statements.isRevoked("other", signer.publicKey)).toBe(true);
    expect(statements.isRevoked("pinned", pinned.publicKey)).toBe(true);
    expect(mandatesOf(statements).length).toBe(1002);
  });

  it("of many callers share a place in which whoever has most makes room", async () => {
    const senders = ["a", "b", "c", "d"];
    const written: Beside[] = [];
    const kept = [...senders.flatMap((each) => sent(1000, each)), ...sent(999, "e"), ...sent(1, "f")];
    const statements = open(written, kept);
    await statements.addRevocation(revocation("new"), "service:late");
    await statements.addRevocation(revocation("pinned", pinned), "service:late");
    const ids = new Set(mandatesOf(statements));
    expect([ids.size, ids.has("a-0"), ids.has("f-0"), ids.has("new")]).toEqual([5001, false, true, true]);
    expect(written[0]?.state?.map(({ value }) => value === null)).toEqual([false, true]);
  });
});
