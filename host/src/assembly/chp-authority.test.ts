/** Who may do what over CHP, by what was signed elsewhere: tokens, approvals, and claims that nobody signed. */
import { hash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { framesOf, type Json } from "../kernel/chp-client-for-tests.ts";
import { newSigner } from "../kernel/chp-statements-for-tests.ts";
import type { Signer } from "../kernel/signing.ts";
import { stable } from "../kernel/stable.ts";
import { openChpPlace, type ChpPlace } from "./chp-place-for-tests.ts";

const [partner, approver, stranger] = [newSigner(), newSigner(), newSigner()];

let place: ChpPlace;
beforeAll(async () => {
  place = await openChpPlace({
    config: {
      auth: {
        chpKeys: ["runner:k", "conformance-scoped:sk:conformance.echo"],
        principals: { "service:runner": { permissions: ["evidence:read"] } },
        tokens: { "agent://partner": partner.publicKey },
      },
      approvals: { approverKeys: [approver.publicKey] },
      policy: {
        rules: [{ id: "open", match: { tools: ["conformance__*"] }, effect: "allow" }],
        capabilities: {
          conformance__guarded: {
            id: "conformance.guarded",
            version: "1.0.0",
            allowed_actors: ["agent://planning-assistant", "agent://partner"],
          },
        },
      },
    },
  });
});
afterAll(() => place.close());

const on = (correlation_id: string): Json => ({ correlation: { correlation_id } });
const timeIn = (ms: number): string => new Date(Date.now() + ms).toISOString();
const signatureOf = (signer: Signer, header: Json): Json => ({
  algorithm: "ed25519",
  key_id: signer.keyId,
  signature: signer.sign(stable(header)),
});

describe("an auth-token", () => {
  const token = (signer: Signer, over: Json = {}): string => {
    const header = {
      kind: "auth-token",
      sub: "agent://partner",
      aud: "conformance-host",
      iat: timeIn(-1000),
      exp: timeIn(600_000),
      canonicalization: "chp-stable-v1",
      ...over,
    };
    const caller = { host_id: header.sub, public_key: signer.publicKey };
    return JSON.stringify({ ...header, caller, signature: signatureOf(signer, header) });
  };
  const ask = (shown: Record<string, string>, capability = "conformance.echo", more: Json = {}) =>
    place.own.post("/invoke", { capability_id: capability, ...more }, { key: null, headers: shown });

  it("of a pinned key is its caller, in its own header or as a bearer", async () => {
    const text = token(partner);
    const forms: [string, string][] = [
      ["x-chp-token", text],
      ["x-chp-token", Buffer.from(text).toString("base64")],
      ["authorization", `Bearer ${Buffer.from(text).toString("base64url")}`],
    ];
    for (const [name, value] of forms) {
      expect((await ask({ [name]: value }, "conformance.echo", on("t-1"))).json).toMatchObject({ outcome: "success" });
    }
    expect((await place.own.events("t-1"))[0]?.["subject"]).toMatchObject({ id: "agent://partner", verified: true });
    expect((await ask({ "x-chp-token": text }, "conformance.guarded")).json).toMatchObject({ outcome: "success" });
  });

  it.each<[string, () => string]>([
    ["of another key", () => token(stranger)],
    ["for another host", () => token(partner, { aud: "another" })],
    ["that has ended", () => token(partner, { iat: timeIn(-9000), exp: timeIn(-1) })],
    ["for longer than an hour", () => token(partner, { exp: timeIn(3_700_000) })],
    ["of somebody who is not pinned", () => token(partner, { sub: "agent://nobody" })],
    ["that is none", () => "{}"],
  ])("%s is no credential", async (_, make) => {
    const said = await ask({ "x-chp-token": make() });
    expect([said.status, said.json["error"].code]).toEqual([401, "unauthorized"]);
  });
});

describe("a claim in the body", () => {
  it.each<[string, Json]>([
    ["subject", { subject: { id: "agent://planning-assistant", type: "agent", verified: true } }],
    ["actor", { actor: { id: "agent://planning-assistant", type: "agent" } }],
    ["both", { subject: { id: "agent://planning-assistant" }, actor: { id: "agent://planning-assistant" } }],
  ])("satisfies no list of actors: %s", async (name, claim) => {
    const result = await place.own.invoke("conformance.guarded", { value: 1 }, { ...claim, ...on(`c-${name}`) });
    expect(result).toMatchObject({ outcome: "denied", denial: { code: "policy_blocked" } });
    expect(JSON.stringify(result["denial"])).not.toContain("planning-assistant");
    const events = await place.own.events(`c-${name}`);
    expect(events.map((event) => event["event_type"])).toEqual(["execution_denied"]);
    expect(events[0]?.["subject"]).toMatchObject({ id: "runner", verified: true, asserted: claim });
  });
});

describe("an approval that was signed elsewhere", () => {
  const grantFor = (denied: Json, payload: Json, signer: Signer, over: Json = {}): Json => {
    const { approval_id, digest } = denied["denial"].details as Json;
    const header = {
      kind: "approval-grant",
      approval_id,
      invocation_id: denied["invocation_id"],
      decision: "granted",
      approver: signer.keyId,
      valid_until: timeIn(600_000),
      payload_commitment: hash("sha256", stable(payload)),
      canonicalization: "chp-stable-v1",
      action_digest: digest,
      audience: "conformance-host",
      max_attempts: 1,
      ...over,
    };
    return {
      ...header,
      approver_identity: { host_id: "elsewhere", public_key: signer.publicKey },
      signature: signatureOf(signer, header),
    };
  };
  const ask = (id: string, payload: Json, more: Json = {}): Promise<Json> =>
    place.own.invoke("conformance.approval", payload, { invocation_id: id, ...on(id), ...more });

  it("by a pinned key lets the same invocation run, exactly once", async () => {
    const payload = { value: "signed" };
    const denied = await ask("g-1", payload);
    const approval_ref = grantFor(denied, payload, approver);
    const ran = await ask("g-1", payload, { approval_ref });
    expect(ran).toMatchObject({ outcome: "success", data: { echo: "signed" } });
    expect(await ask("g-1", payload, { approval_ref })).toEqual({ ...ran, replayed: true });
    const types = await place.own.types("g-1");
    expect(types.filter((type) => type === "execution_started")).toHaveLength(1);
    expect(types).toContain("approval_grant_verified");
    expect(await ask("g-1-again", payload, { approval_ref })).toMatchObject({ outcome: "denied" });
  });

  it.each<[string, Signer, Json]>([
    ["by any other key", stranger, {}],
    ["for another host", approver, { audience: "another" }],
    ["for another invocation", approver, { invocation_id: "g-other" }],
    ["for other arguments", approver, { payload_commitment: "0".repeat(64) }],
    ["for another action", approver, { action_digest: `sha256:${"0".repeat(64)}` }],
    ["that has ended", approver, { valid_until: timeIn(-1000) }],
  ])("%s lets nothing run", async (name, signer, over) => {
    const id = `g-${name.replaceAll(" ", "-")}`;
    const denied = await ask(id, {});
    const result = await ask(id, {}, { approval_ref: grantFor(denied, {}, signer, over) });
    expect(result).toMatchObject({ outcome: "denied" });
    expect(await place.own.types(id)).not.toContain("execution_started");
  });
});

describe("a stream", () => {
  const open = async (more: Json, headers: Record<string, string> = {}) => {
    const body = { capability_id: "conformance.stream", mode: "stream", ...more };
    return framesOf((await place.own.post("/invoke", body, { headers })).text);
  };

  it("has numbered pieces whose digest is in evidence", async () => {
    const frames = await open({ ...on("st-digest"), invocation_id: "st-digest" });
    expect(frames.map(({ id, event }) => [id, event])).toEqual([
      [0, "chunk"],
      [1, "chunk"],
      [2, "chunk"],
      [3, "result"],
    ]);
    const text = frames.slice(0, 3).map(({ data }) => `${stable(data["delta"])}\n`);
    const completed = (await place.own.events("st-digest")).at(-1);
    expect(completed?.["payload"]).toMatchObject({ chunk_count: 3, chunk_seq_digest: hash("sha256", text.join("")) });
  });

  it.each([
    [undefined, [0, 1, 2, 3]],
    ["0", [1, 2, 3]],
    ["1", [2, 3]],
    ["2", [3]],
    ["3", [3]],
    ["99", [3]],
  ])("after Last-Event-ID %s goes on, from what was recorded", async (last, ids) => {
    const headers: Record<string, string> = last === undefined ? {} : { "last-event-id": last };
    await open({ invocation_id: "st-resume", ...on("st-resume") });
    const frames = await open({ invocation_id: "st-resume", ...on("st-resume") }, headers);
    expect(frames.map(({ id }) => id)).toEqual(ids);
    expect(frames.at(-1)?.data).toMatchObject({ replayed: true, data: { joined: "s1s2s3" } });
    expect(await place.own.types("st-resume")).toEqual(["execution_started", "execution_completed"]);
  });
});

it("whoever may read the policy is told what it says to a key of CHP, by its name, as that key would hear it", async () => {
  const headers = { authorization: `Bearer ${place.owner}` };
  const explain = async (as: string, capability_id: string): Promise<Json> =>
    (await place.own.post("/explain", { capability_id, payload: { value: 1 }, as }, { key: null, headers })).json;
  expect(await explain("conformance-scoped", "conformance.echo")).toMatchObject({ verdict: "run" });
  const outside = await explain("conformance-scoped", "conformance.stream");
  expect(outside).toMatchObject({ verdict: "refuse", decided_by: { stage: 3 } });
  expect(await explain("service:conformance-scoped", "conformance.stream")).toEqual(outside);
  expect(await explain("runner", "conformance.stream")).toMatchObject({ verdict: "run" });
});
