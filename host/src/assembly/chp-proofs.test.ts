/** What a stranger can prove about a running host over HTTP: its log only grows, what is in it, and that its keys are one line. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Json } from "../kernel/chp-client-for-tests.ts";
import { anchor, newSigner, revocation, witness } from "../kernel/chp-statements-for-tests.ts";
import { isSignedBy, keyIdOf } from "../kernel/signing.ts";
import { stable } from "../kernel/stable.ts";
import { provesConsistency } from "../storage/tree/proves-consistency.ts";
import { provesInclusion } from "../storage/tree/proves-inclusion.ts";
import { leafHash } from "../storage/tree/tree-hash.ts";
import { openChpPlace, type ChpPlace } from "./chp-place-for-tests.ts";
import { verifyEvidence } from "../storage/verify-evidence.ts";
import { readKey, type ExpectedKey, type Verification } from "./open-evidence.ts";

let place: ChpPlace;
beforeAll(async () => {
  place = await openChpPlace();
});
afterAll(() => place.close());

const V2 = "/head?scheme=chp-store-head-v2";
const on = (correlation_id: string): Json => ({ correlation: { correlation_id } });
const bytes = (hex: unknown): Buffer => Buffer.from(String(hex), "hex");
const echo = (correlation: string): Promise<Json> => place.own.invoke("conformance.echo", {}, on(correlation));

const headV2 = async (): Promise<Json> => (await place.own.get(V2)).json;

const isConsistent = ({ first_size, second_size, first_root, second_root, proof }: Json): boolean =>
  provesConsistency({
    first: first_size,
    second: second_size,
    firstRoot: bytes(first_root),
    secondRoot: bytes(second_root),
    path: proof.map(bytes),
  });

describe("the log of a running host", () => {
  it("only grows: every prefix is proved to be one of every later one", async () => {
    const heads = [await headV2()];
    for (let i = 0; i < 6; i++) {
      await echo(`grow-${i % 2}`);
      heads.push(await headV2());
    }
    for (const [i, first] of heads.entries()) {
      for (const second of heads.slice(i)) {
        const path = `/head/consistency?first=${first["sequence"]}&second=${second["sequence"]}`;
        const { json } = await place.own.get(path);
        expect(json).toMatchObject({ first_root: first["store_head"], second_root: second["store_head"] });
        expect(isConsistent(json)).toBe(true);
        expect(isConsistent({ ...json, second_root: "0".repeat(64) })).toBe(false);
      }
    }
  });

  it("holds the latest event of each correlation, as the proof shows", async () => {
    for (const correlation of ["in-a", "in-b", "in-a"]) await echo(correlation);
    for (const correlation of ["in-a", "in-b"]) {
      const { json } = await place.own.get(`/head/inclusion/${correlation}`);
      const { correlation_id, head_hash, leaf_index, tree_size, audit_path } = json["proof"] as Json;
      const last = (await place.own.events(correlation)).at(-1);
      expect([correlation_id, head_hash, leaf_index]).toEqual([
        correlation,
        last?.["content_hash"],
        last?.["sequence"] - 1,
      ]);
      const claim = {
        index: leaf_index,
        size: tree_size,
        path: audit_path.map(bytes),
        root: bytes(json["store_head"]),
      };
      expect(tree_size).toBe(json["sequence"]);
      expect(provesInclusion({ leaf: leafHash(correlation, head_hash), ...claim })).toBe(true);
      expect(provesInclusion({ leaf: leafHash("in-c", head_hash), ...claim })).toBe(false);
    }
    expect((await place.own.get("/head/inclusion/in-none")).status).toBe(404);
    expect((await place.own.get("/head/inclusion/in-a", { key: "sk" })).status).toBe(404);
  });

  it("is signed when the host stops, and goes on from there", async () => {
    await place.host.stop();
    place = await openChpPlace({ dir: place.dir });
    await echo("grow-0");
    const { json } = await place.own.get("/head/checkpoints");
    expect(json["checkpoints"]).not.toEqual([]);
    const { at, ...head } = await headV2();
    expect(at).toMatch(/Z$/);
    for (const { public_key, signature, ...header } of json["checkpoints"] as Json[]) {
      expect(isSignedBy(public_key, stable(header), signature.signature)).toBe(true);
      expect(signature.key_id).toBe(keyIdOf(public_key));
      const path = `/head/consistency?first=${header["tree_size"]}&second=${head["sequence"]}`;
      expect((await place.own.get(path)).json).toMatchObject({ first_root: header["root_hash"] });
    }
  });

  it.each(["first=1&second=0", "first=0&second=999999", "first=-1&second=1", "first=a&second=1", "second=1", ""])(
    "is asked for no proof of %j",
    async (query) => {
      const said = await place.own.get(`/head/consistency?${query}`);
      expect([said.status, said.json["error"].code]).toEqual([400, "bad_request"]);
    },
  );
});

describe("what others sign about it", () => {
  it("a witness may sign either scheme, and the revocations that it saw", async () => {
    const signer = newSigner();
    const given = revocation("mnd_seen", "somebody", newSigner());
    expect((await place.own.post("/revocations", given)).json).toMatchObject({ accepted: true });
    for (const path of ["/head", V2]) {
      const head = (await place.own.get(path)).json;
      const seen = witness(head, signer, { revocation_head: head["revocation_head"] });
      const { json } = await place.own.post("/witness", seen);
      expect(json).toMatchObject({ accepted: true, sequence: head["sequence"] });
    }
    expect((await place.own.get("/witnesses")).json["witnesses"].length).toBeGreaterThanOrEqual(2);
  });

  it.each(["2026-11-16T09:00:00.123456Z", "2026-11-16T09:00:00+00:00", "2026-11-16T10:00:00.5+01:00"])(
    "a time is an instant however it is written: %s",
    async (witnessed_at) => {
      const { json } = await place.own.get("/head");
      expect((await place.own.post("/witness", witness(json, newSigner(), { witnessed_at }))).status).toBe(200);
    },
  );

  it("an anchor is taken for a head that was there, once it verifies", async () => {
    const head = (await place.own.get("/head")).json;
    const good = anchor(head);
    const { json } = await place.own.post("/anchors", good);
    expect(json).toMatchObject({ accepted: true, sequence: head["sequence"], anchor_did: good["anchor"].did });
    expect((await place.own.get("/anchors")).json["anchors"]).toContainEqual(good);
    for (const wrong of [
      { ...good, sequence: Number(good["sequence"]) - 1 },
      { ...good, anchor: { ...good["anchor"], did: anchor(head)["anchor"].did } },
      anchor({ ...head, store_head: "0".repeat(64) }),
      { kind: "store-head-anchor" },
    ]) {
      expect((await place.own.post("/anchors", wrong)).status).toBeGreaterThanOrEqual(400);
    }
    expect((await place.own.get("/anchors")).json["anchors"]).toHaveLength(1);
  });

  it.each(["/witness", "/anchors", "/revocations"])("%s takes no nonsense", async (path) => {
    for (const body of [{}, [], "null", "{", { kind: "chain-witness", sequence: 1e308 }]) {
      expect((await place.own.post(path, body)).status).toBe(400);
    }
  });
});

describe("a host that changes its key", () => {
  const rest = async (path: string, body?: object): Promise<Json> => {
    const headers = { authorization: `Bearer ${place.owner}`, "content-type": "application/json" };
    const said = await fetch(`${place.origin}${path}`, {
      headers,
      ...(body && { method: "POST", body: JSON.stringify(body) }),
    });
    expect(said.status).toBe(200);
    return (await said.json()) as Json;
  };
  const identity = async (): Promise<Json> => (await place.own.get("/.well-known/chp-identity", { key: null })).json;

  it("is followed from the key that one had pinned, by its own signature, through old and new bundles", async () => {
    await echo("rotate");
    const before = await identity();
    const old = (await place.own.get("/export/rotate")).text;
    await rest("/v1/host-key/rotate", {});
    const after = await identity();
    expect(after["key_id"]).not.toBe(before["key_id"]);
    expect(after["key_history"]).toMatchObject([{ old_key_id: before["key_id"], new_key_id: after["key_id"] }]);
    await echo("rotate");
    const renewed = (await place.own.get("/export/rotate")).text;
    const pinned = readKey(String(before["public_key"]));
    const line = readKey(JSON.stringify(after));
    const check = (text: string, documents: readonly ExpectedKey[]): Verification =>
      verifyEvidence(text.split("\n"), { key: pinned!, documents });
    const keys = ({ valid, checks }: Verification): unknown => [valid, checks.key_pinned];
    expect(keys(check(old, []))).toEqual([true, "pass"]);
    expect(keys(check(renewed, []))).toEqual([true, "fail"]);
    expect(keys(check(renewed, [line!]))).toEqual([true, "pass"]);
    expect((await place.own.get("/verify/rotate")).json).toMatchObject({ valid: true, event_count: 4 });
    expect(await place.own.types("host-identity-conformance-host")).toEqual(
      expect.arrayContaining(["key_generated", "key_rotated"]),
    );
  });
});
