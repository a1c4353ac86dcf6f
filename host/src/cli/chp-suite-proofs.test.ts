/**
 * The behaviours that the public CHP wire suite asks of a host, third part: what a stranger can check of its evidence, with
 * nothing but what the host gave away. A title names the check of the suite that it stands for.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Json } from "../kernel/chp-client-for-tests.ts";
import { anchor, newSigner, witness } from "../kernel/chp-statements-for-tests.ts";
import { stable } from "../kernel/stable.ts";
import { startChpHost, type ChpHost } from "./chp-host-for-tests.ts";
import { defectsOf, headerText, isCountersigned, isInLog, onlyGrew, rootHash } from "./chp-stranger-for-tests.ts";

let host: ChpHost;
beforeAll(async () => {
  host = await startChpHost();
}, 60_000);
afterAll(() => host.stop());

const V2 = "/head?scheme=chp-store-head-v2";
const NOTHING = "0".repeat(64);
/** With microseconds, as other languages write the time. */
const nowFinely = (): string => new Date().toISOString().replace("Z", "000Z");

const echo = (correlation_id: string, value = "v"): Promise<Json> =>
  host.invoke("conformance.echo", { value }, { correlation: { correlation_id } });
const headOf = async (path = "/head"): Promise<Json> => (await host.get(path)).json;
const exported = async (correlation: string, value?: string): Promise<Json> => {
  await echo(correlation, value);
  return (await host.get(`/export/${correlation}`)).json;
};

describe("a bundle", () => {
  it("verifies from its events to its signature (wire suite: export bundle verifies, v0.2 §4a)", async () => {
    const bundle = await exported("p-export");
    expect(bundle).toMatchObject({ assurance: "signed", canonicalization: "chp-stable-v1" });
    expect(bundle["events"]).toHaveLength(2);
    expect(defectsOf(bundle)).toEqual([]);
    expect(defectsOf({ ...bundle, host_id: "another" })).toEqual(["signature", "host_identity"]);
    expect(defectsOf({ ...bundle, events: bundle["events"].toReversed() })).toEqual([
      "chain",
      "root_hash",
      "completeness",
    ]);
  });

  it("says that it is all there is up to a place in the log (wire suite: non-omission / completeness, v0.4.3 §12, proposal 0018)", async () => {
    const bundle = await exported("p-complete");
    const last = bundle["events"].at(-1) as Json;
    expect(bundle["completeness"]).toMatchObject({
      scheme: "chp-completeness-v1",
      correlation_id: "p-complete",
      head_hash: last["content_hash"],
    });
    expect(bundle["completeness"].as_of_sequence).toBeGreaterThanOrEqual(last["sequence"]);
    expect(defectsOf(bundle)).toEqual([]);
    expect(defectsOf({ ...bundle, events: bundle["events"].slice(0, -1) })).toContain("completeness");
  });

  it("verifies with its payloads withheld, and not with others in their place (wire suite: selective disclosure, v0.2 §14, proposal 0011)", async () => {
    const bundle = await exported("p-disclose", "secret-xyz");
    const events = bundle["events"] as Json[];
    for (const { hash_scheme } of events) expect(hash_scheme).toBe("chp-event-hash-v2");
    const withheld = { ...bundle, events: events.map((event) => ({ ...event, payload: { chp_withheld: true } })) };
    expect(defectsOf(withheld)).toEqual([]);
    expect(JSON.stringify(withheld)).not.toContain("secret-xyz");
    const forged = events.with(0, { ...events[0], payload: { forged: true } });
    expect(defectsOf({ ...bundle, events: forged })).toEqual(["payload_commitments"]);
  });

  it("has events that another may sign in either canonical text (wire suite: canonicalization dispatch / chp-jcs-v1, v0.4.0 §2, proposal 0015)", async () => {
    const { host_id, events, root_hash } = await exported("p-canon", "café 🔒");
    const signer = newSigner();
    const { keyId: key_id, publicKey: public_key } = signer;
    const claim = { host_id, public_key, key_id, valid_from: "2026-01-01T00:00:00Z", valid_until: null };
    const sign = (canonicalization: string): Json => {
      const header = { host_id, protocol_version: "0.2", created_at: claim.valid_from, canonicalization, root_hash };
      const signature = { algorithm: "ed25519", key_id, signature: signer.sign(String(headerText(header))) };
      const host_identity = { ...claim, signature: signer.sign(stable(claim)) };
      return { ...header, assurance: "signed", events, public_key, host_identity, signature };
    };
    const [plain, jcs] = [sign("chp-stable-v1"), sign("chp-jcs-v1")];
    expect(root_hash).toBe(rootHash(events));
    expect([defectsOf(plain), defectsOf(jcs)]).toEqual([[], []]);
    expect(jcs["signature"].signature).not.toBe(plain["signature"].signature);
    expect(defectsOf({ ...jcs, canonicalization: "chp-bogus-v1" })).toEqual(["signature"]);
  });
});

describe("the head of the log, to others", () => {
  it("names the withdrawals that the host knows, and takes no signature over others (wire suite: revocation freshness, v0.2 §12, proposal 0010)", async () => {
    const head = await headOf();
    expect(head["revocation_head"]).toMatch(/^[0-9a-f]{64}$/);
    const seen = { witnessed_at: nowFinely(), revocation_head: head["revocation_head"] };
    expect((await host.post("/witness", witness(head, newSigner(), seen))).json).toMatchObject({ accepted: true });
    const other = { witnessed_at: nowFinely(), revocation_head: "a".repeat(64) };
    expect((await host.post("/witness", witness(await headOf(), newSigner(), other))).status).toBe(409);
  });

  it("is countersigned by as many as come, and by an SSH key (wire suite: witness quorum + anchoring, v0.2 §12, proposal 0013)", async () => {
    await echo("p-quorum");
    const head = await headOf();
    for (const signer of [newSigner(), newSigner(), newSigner()]) {
      const said = await host.post("/witness", witness(head, signer, { witnessed_at: nowFinely() }));
      expect(said.status).toBe(200);
    }
    const { json } = await host.get("/witnesses");
    const over = (json["witnesses"] as Json[]).filter(
      ({ host_id, sequence, store_head }) =>
        host_id === head["host_id"] && sequence === head["sequence"] && store_head === head["store_head"],
    );
    expect(over.map(isCountersigned)).toEqual([true, true, true]);
    expect(new Set(over.map(({ signature }) => signature.key_id)).size).toBe(3);
    const given = anchor(head);
    expect((await host.post("/anchors", given)).json).toMatchObject({ accepted: true });
    expect((await host.get("/anchors")).json["anchors"]).toEqual([given]);
  });

  it("is above the last event of each correlation, as the proof shows (wire suite: Merkle store head + inclusion, v0.5.0 §12, proposal 0019)", async () => {
    for (const correlation of ["p-in", "p-beside", "p-in"]) await echo(correlation);
    const head = await headOf(V2);
    expect(head["scheme"]).toBe("chp-store-head-v2");
    const { status, json } = await host.get("/head/inclusion/p-in");
    const { store_head: root, proof } = json;
    expect([status, root]).toEqual([200, head["store_head"]]);
    expect(proof).toMatchObject({ scheme: "chp-store-head-v2", correlation_id: "p-in" });
    expect(proof.head_hash).toBe((await host.events("p-in")).at(-1)?.["content_hash"]);
    expect(isInLog(root, proof.head_hash, proof)).toBe(true);
    expect(isInLog(root, "f".repeat(64), proof)).toBe(false);
    expect(isInLog(root, proof.head_hash, { ...proof, correlation_id: "p-beside" })).toBe(false);
  });

  it("is proved to have only grown since another (wire suite: remote monitor / served consistency, v0.6.3 §12, proposal 0024)", async () => {
    await echo("p-monitor-1");
    const heads = [await headOf(V2)];
    for (const correlation of ["p-monitor-2", "p-monitor-1", "p-monitor-3"]) {
      await echo(correlation);
      heads.push(await headOf(V2));
    }
    const last = heads.at(-1) as Json;
    for (const first of heads) {
      const { status, json } = await host.get(
        `/head/consistency?first=${first["sequence"]}&second=${last["sequence"]}`,
      );
      expect(status).toBe(200);
      expect(json).toMatchObject({
        scheme: "chp-store-head-v2",
        first_root: first["store_head"],
        second_root: last["store_head"],
      });
      expect(onlyGrew(first["store_head"], last["store_head"], json)).toBe(true);
      expect(onlyGrew(NOTHING, last["store_head"], json)).toBe(false);
    }
  });
});
