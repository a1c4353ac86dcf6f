/** Approvals that were signed elsewhere and come with the call. */
import { describe, expect, it } from "vitest";
import { signerOf, type Signer } from "../../kernel/signing.ts";
import { invocationDigest } from "./digests.ts";
import { payloadCommitment } from "./payload-commitment.ts";
import {
  ask,
  begin,
  callOf,
  demand,
  MARIA,
  openWorld,
  refusalOf,
  SIGNER,
  type CallParts,
  type TestWorld,
} from "./room-for-tests.ts";
import { signedText, type Grant } from "./sign-grant.ts";

const APPROVER = signerOf(Buffer.alloc(32, 7));
const STRANGER = signerOf(Buffer.alloc(32, 8));
const pinned = { approverKeys: () => [APPROVER.publicKey] };
const MINE = { invocationId: "inv_mine" };

/** Signed after the changes: what the signer meant. */
const grantFor = (world: TestWorld, over: Grant = {}, signer: Signer = APPROVER): Grant => {
  const call = callOf();
  const header = {
    kind: "approval-grant",
    approval_id: "ap-1",
    invocation_id: MINE.invocationId,
    decision: "granted",
    approver: signer.keyId,
    valid_until: "2026-11-16T12:00:00Z",
    payload_commitment: payloadCommitment(call.args),
    canonicalization: "chp-stable-v1",
    action_digest: world.room.digestOf(call),
    audience: "host-1",
    max_attempts: 1,
    ...over,
  };
  return {
    ...header,
    approver_identity: { host_id: signer.keyId, public_key: signer.publicKey },
    signature: { algorithm: "ed25519", key_id: signer.keyId, signature: signer.sign(signedText(header)) },
  };
};

const withGrant = (approvalRef: unknown, parts: CallParts = {}): ReturnType<typeof callOf> =>
  callOf({ ...parts, envelope: { ...MINE, approvalRef } });

describe("a grant of a pinned key", () => {
  it("lets the call run, once, and says who signed", async () => {
    const world = openWorld(pinned);
    const grant = grantFor(world);
    begin(world, await world.room.stage(withGrant(grant)));
    expect(world.types()).toEqual(["approval_requested", "approval_granted", "approval_grant_verified"]);
    expect(world.events[1]?.payload).toContain(`key:${APPROVER.publicKey}`);
    const again = await refusalOf(world.room.stage(withGrant(grant)));
    expect(again).toMatchObject({ kind: "approval_expired", details: { state: "consumed" } });
    world.restart();
    expect(await refusalOf(world.room.stage(withGrant(grant)))).toMatchObject({ kind: "approval_expired" });
    world.restart("another secret");
    expect(await refusalOf(world.room.stage(withGrant(grant)))).toMatchObject({ kind: "approval_denied" });
  });

  it("lets one of many calls at once run", async () => {
    const world = openWorld(pinned);
    const grant = grantFor(world);
    const ends = await Promise.all(
      Array.from({ length: 8 }, async (_, i) => {
        try {
          begin(world, await world.room.stage(withGrant(grant)), `inv_${i}`);
          return "ran";
        } catch {
          return "refused";
        }
      }),
    );
    expect(ends.filter((end) => end === "ran")).toHaveLength(1);
  });

  it("decides the approval that waits", async () => {
    const world = openWorld(pinned);
    const id = await ask(world);
    expect((await world.room.stage(withGrant(grantFor(world)))).approval?.id).toBe(id);
  });

  it("is one of several yeses where several are needed", async () => {
    const world = openWorld(pinned);
    const two = { demand: demand({ count: 2, approvers: [["role:manager", `key:${APPROVER.publicKey}`]] }) };
    const [first, second] = [grantFor(world), grantFor(world, { approval_id: "ap-2" })];
    const refusal = await refusalOf(world.room.stage(withGrant(first, two)));
    expect(refusal).toMatchObject({ kind: "approval_pending" });
    expect(await refusalOf(world.room.stage(withGrant(second, two)))).toMatchObject({ kind: "approval_pending" });
    await world.room.approvals.decide(MARIA, String(refusal.details["approval_id"]), { approve: true });
    begin(world, await world.room.stage(callOf(two)));
  });

  it("is worth nothing once the key is taken off the list", async () => {
    const keys = [APPROVER.publicKey];
    const world = openWorld({ approverKeys: () => keys });
    const { approval } = await world.room.stage(withGrant(grantFor(world)));
    keys.length = 0;
    expect(await ask(world)).not.toBe(approval?.id);
    expect(world.types()).toContain("dev.bailiwick.approval_cancelled");
  });

  it("does not undo a no", async () => {
    const world = openWorld(pinned);
    await world.room.approvals.decide(MARIA, await ask(world), { approve: false });
    expect(await refusalOf(world.room.stage(withGrant(grantFor(world))))).toMatchObject({ kind: "approval_denied" });
  });

  it("with its digest of the attempt is good for this provider alone", async () => {
    const world = openWorld(pinned);
    const attempt = { hostId: "host-1", invocationId: MINE.invocationId, actionDigest: world.room.digestOf(callOf()) };
    const grant = grantFor(world, {
      invocation_digest: invocationDigest(callOf(), attempt),
      binding_id: "dispatch__schedule_technician",
    });
    const elsewhere = withGrant(grant, { flatName: "other__schedule_technician" });
    expect(world.room.digestOf(elsewhere)).toBe(attempt.actionDigest);
    expect(await refusalOf(world.room.stage(elsewhere))).toMatchObject({ kind: "approval_denied" });
    begin(world, await world.room.stage(withGrant(grant)));
  });
});

type Bad = readonly [title: string, make: (world: TestWorld) => unknown, parts?: CallParts];

describe("a grant that does not count", () => {
  const bad: readonly Bad[] = [
    ["of a key that nobody pinned", (world) => grantFor(world, {}, STRANGER)],
    ["of the host's own key, made by somebody who has it", (world) => grantFor(world, {}, SIGNER)],
    ["for another host", (world) => grantFor(world, { audience: "host-2" })],
    ["for no host in particular", (world) => without(grantFor(world), "audience")],
    ["for no action in particular", (world) => without(grantFor(world), "action_digest")],
    ["for another action", (world) => grantFor(world, { action_digest: `sha256:${"0".repeat(64)}` })],
    ["for another invocation", (world) => grantFor(world, { invocation_id: "inv_other" })],
    ["for other arguments", (world) => grantFor(world, { payload_commitment: payloadCommitment({}) })],
    ["for another attempt", (world) => grantFor(world, { invocation_digest: `sha256:${"0".repeat(64)}` })],
    ["for another binding", (world) => grantFor(world, { binding_id: "other__t" })],
    ["that has run out", (world) => grantFor(world, { valid_until: "2026-11-16T09:00:00Z" })],
    ["until a time that is none", (world) => grantFor(world, { valid_until: "tomorrow" })],
    ["for two attempts", (world) => grantFor(world, { max_attempts: 2 })],
    ["that says no", (world) => grantFor(world, { decision: "denied" })],
    ["of another kind", (world) => grantFor(world, { kind: "mandate" })],
    ["with more in it", (world) => ({ ...grantFor(world), note: "x" })],
    ["changed after it was signed", (world) => ({ ...grantFor(world), valid_until: "2027-11-16T12:00:00Z" })],
    ["under the key id of the pinned key", (world) => borrowed(world)],
    ["where roles decide", grantFor, { demand: demand({ approvers: [["role:manager"]] }) }],
    ["under four eyes, where the key is not named", grantFor, { demand: demand({ fourEyes: true }) }],
    ["without a signature", (world) => without(grantFor(world), "signature")],
    ["that is a list", () => []],
    ["that is a number", () => 1],
    ["that is an unknown id", () => "apr_0"],
  ];

  /** Signed by a stranger who writes the approver's key id over the own key. */
  const borrowed = (world: TestWorld): Grant => {
    const grant = grantFor(world, { approver: APPROVER.keyId }, STRANGER);
    return { ...grant, signature: { ...(grant["signature"] as Grant), key_id: APPROVER.keyId } };
  };

  const without = (grant: Grant, name: string): Grant => {
    const { [name]: _, ...rest } = grant;
    const signature = { ...(rest["signature"] as Grant | undefined), signature: APPROVER.sign(signedText(rest)) };
    return name === "signature" ? rest : { ...rest, signature };
  };

  it.each(bad.map(([title, make, parts = {}]) => ({ title, make, parts })))("$title", async ({ make, parts }) => {
    const world = openWorld(pinned);
    const refusal = await refusalOf(world.room.stage(withGrant(make(world), parts)));
    expect(refusal).toMatchObject({ kind: "approval_denied", next: expect.stringContaining("approval_ref") });
    expect(world.events).toEqual([]);
  });
});

describe("the host's own grant", () => {
  it("or its id, sent along, is the approval itself", async () => {
    const world = openWorld();
    const id = await ask(world);
    const { decisions } = await world.room.approvals.decide(MARIA, id, { approve: true });
    const grant = decisions[0]?.grant;
    expect((await world.room.stage(withGrant(id))).approval?.id).toBe(id);
    begin(world, await world.room.stage(withGrant(grant)));
    for (const used of [id, grant])
      expect(await refusalOf(world.room.stage(withGrant(used)))).toMatchObject({ kind: "approval_expired" });
  });

  it("after its time is refused as expired", async () => {
    const world = openWorld();
    const id = await ask(world);
    world.now += 3_600_000;
    const refusal = await refusalOf(world.room.stage(withGrant(id)));
    expect(refusal).toMatchObject({ kind: "approval_expired", details: { state: "expired" } });
  });
});
