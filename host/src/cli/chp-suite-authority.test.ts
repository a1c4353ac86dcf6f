/** The behaviours that the public CHP wire suite asks of a host, second part: mandates, witnesses, streams, repeats. */
import { hash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { framesOf, type Json } from "../kernel/chp-client-for-tests.ts";
import { stable } from "../kernel/stable.ts";
import { startChpHost, type ChpHost } from "./chp-host-for-tests.ts";
import { mandate, newSigner, revocation, witness, type MandateOrder } from "../kernel/chp-statements-for-tests.ts";

let host: ChpHost;
beforeAll(async () => {
  host = await startChpHost();
}, 60_000);
afterAll(() => host.stop());

const on = (correlation_id: string): Json => ({ correlation: { correlation_id } });
const codeOf = (result: Json): unknown => result["denial"]?.code;
const subjectOf = async (correlation: string): Promise<Json> =>
  (await host.events(correlation))[0]?.["subject"] as Json;
const under = (given: Json, capability = "conformance.echo", more: Json = {}): Promise<Json> =>
  host.invoke(capability, { value: "v" }, { mandate: given, ...more });

describe("a mandate", () => {
  const signer = newSigner();
  const of = (more: Partial<MandateOrder> = {}): Json =>
    mandate({ principal: "the-principal", signer, delegate: "runner", ...more });

  it("of somebody the host never met attributes the call to delegate and principal (wire suite: mandate gate, v0.2 §10)", async () => {
    expect(await under(of(), "conformance.echo", on("m-ok"))).toMatchObject({ outcome: "success" });
    expect(await subjectOf("m-ok")).toMatchObject({
      id: "runner",
      type: "mandate",
      verified: true,
      principal: "the-principal",
    });
  });

  it("covers nothing beside its scope (wire suite: mandate gate, v0.2 §10)", async () => {
    const beside = { outcome: "denied", denial: { code: "policy_blocked" } };
    expect(await under(of(), "conformance.fail")).toMatchObject(beside);
    expect(await under(of({ scope: ["conformance.*"] }), "conformance.stream")).toMatchObject({ outcome: "success" });
  });

  it.each<[string, () => Json]>([
    ["has ended", () => of({ from: -60, until: -30 })],
    ["ended before it began", () => of({ from: -1, until: -60 })],
    ["has not begun", () => of({ from: 30 })],
    ["was changed", () => ({ ...of(), scope: ["*"] })],
    ["is for somebody else", () => of({ delegate: "another" })],
    [
      "has a key id that is not its key's",
      () => ({ ...of(), signature: { ...of()["signature"], key_id: "0".repeat(16) } }),
    ],
    ["is none", () => ({ kind: "mandate" })],
  ])("that %s is mandate_invalid (wire suite: mandate gate, v0.2 §10)", async (_, make) => {
    expect(codeOf(await under(make()))).toBe("mandate_invalid");
  });

  it("is used up by as many calls as it allows (wire suite: mandate gate, v0.2 §10)", async () => {
    const capped = of({ max: 2 });
    for (let i = 0; i < 2; i++) expect(await under(capped)).toMatchObject({ outcome: "success" });
    const spent = { outcome: "denied", denial: { code: "mandate_exhausted", retryable: false } };
    expect(await under(capped)).toMatchObject(spent);
  });

  it("is withdrawn by its principal, and by nobody else (wire suite: mandate revocation, v0.2 §10, proposal 0007)", async () => {
    const given = of();
    expect(await under(given)).toMatchObject({ outcome: "success" });
    const stranger = newSigner();
    await host.post("/revocations", revocation(given["mandate_id"], "the-principal", stranger));
    expect(await under(given)).toMatchObject({ outcome: "success" });
    const accepted = await host.post("/revocations", revocation(given["mandate_id"], "the-principal", signer));
    expect(accepted.json).toMatchObject({ accepted: true, mandate_id: given["mandate_id"] });
    const known = async (): Promise<unknown[]> =>
      (await host.get("/revocations")).json["mandates"].map(({ mandate_id: id }: Json) => id);
    expect(await known()).toContain(given["mandate_id"]);
    expect(await under(given)).toMatchObject({ outcome: "denied", denial: { code: "mandate_invalid" } });
    const forged = { ...revocation("mnd_other", "the-principal", signer), mandate_id: "mnd_retargeted" };
    const refused = await host.post("/revocations", forged);
    expect([refused.status, refused.json["error"].code]).toEqual([400, "invalid_revocation"]);
    expect(await known()).not.toContain("mnd_retargeted");
  });
});

describe("a mandate under a mandate", () => {
  const [rootKey, middleKey] = [newSigner(), newSigner()];
  const root = (): Json =>
    mandate({
      principal: "root",
      signer: rootKey,
      delegate: "middle",
      scope: ["conformance.echo", "conformance.other"],
      until: 120,
    });
  const sub = (parent: Json, more: Partial<MandateOrder> = {}): Json =>
    mandate({ principal: "middle", signer: middleKey, delegate: "runner", parent, ...more });

  it("names both principals (wire suite: sub-delegation, v0.2 §10, proposal 0009)", async () => {
    expect(await under(sub(root()), "conformance.echo", on("m-sub"))).toMatchObject({ outcome: "success" });
    expect(await subjectOf("m-sub")).toMatchObject({ id: "runner", principal: "middle", root_principal: "root" });
  });

  it.each<[string, Partial<MandateOrder>]>([
    ["a wider scope", { scope: ["conformance.echo", "conformance.fail"] }],
    ["a longer life", { until: 600 }],
    ["a principal that is not the delegate", { principal: "stranger" }],
  ])("with %s is mandate_invalid (wire suite: sub-delegation, v0.2 §10, proposal 0009)", async (_, more) => {
    expect(codeOf(await under(sub(root(), more)))).toBe("mandate_invalid");
  });

  it("that was widened after it was signed is mandate_invalid (wire suite: sub-delegation, v0.2 §10, proposal 0009)", async () => {
    const widened = { ...sub(root()), scope: ["conformance.echo", "conformance.other"] };
    expect(codeOf(await under(widened))).toBe("mandate_invalid");
  });

  it("is counted against the one that it came from, and a repeat counts once", async () => {
    const order = { principal: "root", signer: rootKey, delegate: "middle", until: 120, max: 2 };
    const parent = mandate(order);
    const [one, other] = [sub(parent), sub(parent)];
    const again = { invocation_id: "m-counted" };
    expect(await under(one, "conformance.echo", again)).toMatchObject({ outcome: "success" });
    expect(await under(one, "conformance.echo", again)).toMatchObject({ outcome: "success", replayed: true });
    expect(await under(other)).toMatchObject({ outcome: "success" });
    for (const spent of [one, other, sub(parent)]) expect(codeOf(await under(spent))).toBe("mandate_exhausted");
  });

  it("ends with the one that it came from (wire suite: sub-delegation, v0.2 §10, proposal 0009)", async () => {
    const parent = root();
    expect(await under(sub(parent))).toMatchObject({ outcome: "success" });
    const { json } = await host.post("/revocations", revocation(parent["mandate_id"], "root", rootKey));
    expect(json).toMatchObject({ accepted: true });
    expect(codeOf(await under(sub(parent)))).toBe("mandate_invalid");
  });
});

describe("the head of the log", () => {
  it("moves with each call and takes countersignatures of itself alone (wire suite: witness round-trip, v0.2 §12)", async () => {
    const before = (await host.get("/head")).json;
    expect(before).toMatchObject({ scheme: "chp-store-head-v1", host_id: "conformance-host" });
    await host.invoke("conformance.echo");
    const head = (await host.get("/head")).json;
    expect(head["sequence"]).toBeGreaterThan(before["sequence"]);
    const signer = newSigner();
    expect((await host.post("/witness", witness(head, signer))).json).toMatchObject({ accepted: true });
    const served = async (): Promise<unknown[]> =>
      (await host.get("/witnesses")).json["witnesses"].map(({ store_head: each }: Json) => each);
    expect(await served()).toEqual([head["store_head"]]);
    const wrong = await host.post("/witness", witness({ ...head, store_head: "0".repeat(64) }, signer));
    expect([wrong.status, wrong.json["error"].code]).toEqual([409, "head_mismatch"]);
    const broken = await host.post("/witness", { ...witness(head, signer), sequence: 1 });
    expect([broken.status, broken.json["error"].code]).toEqual([400, "invalid_witness"]);
    const stale = await host.post("/witness", witness(head, signer, { revocation_head: "0".repeat(64) }));
    expect([stale.status, stale.json["error"].code]).toEqual([409, "revocation_head_mismatch"]);
    expect(await served()).toEqual([head["store_head"]]);
  });

  it("proves that a correlation is in it and that it only grew", async () => {
    const first = (await host.get("/head?scheme=chp-store-head-v2")).json;
    await host.invoke("conformance.echo", {}, on("h-proof"));
    const second = (await host.get("/head?scheme=chp-store-head-v2")).json;
    const inclusion = (await host.get("/head/inclusion/h-proof")).json;
    expect(inclusion).toMatchObject({ proof: { correlation_id: "h-proof" } });
    const path = `/head/consistency?first=${first["sequence"]}&second=${second["sequence"]}`;
    expect((await host.get(path)).json).toMatchObject({
      first_root: first["store_head"],
      second_root: second["store_head"],
    });
    expect((await host.get("/head/inclusion/h-nothing")).status).toBe(404);
    expect((await host.get("/head?scheme=x")).status).toBe(400);
  });
});

describe("a stream", () => {
  const frames = (text: string): [string, Json][] => framesOf(text).map(({ event, data }) => [event, data]);
  const open = (more: Json = {}, headers: Record<string, string> = {}) =>
    host.post("/invoke", { capability_id: "conformance.stream", mode: "stream", payload: {}, ...more }, { headers });

  it("gives its pieces and then the result, and both are in evidence (wire suite: streaming invocation, binding, proposal 0006)", async () => {
    const said = await open(on("st-1"));
    expect(said.type).toBe("text/event-stream");
    const [a, b, c, last, ...more] = frames(said.text);
    expect([a, b, c]).toEqual(["s1", "s2", "s3"].map((delta) => ["chunk", { delta }]));
    expect(last).toMatchObject(["result", { outcome: "success", data: { chunks: 3, joined: "s1s2s3" } }]);
    expect(more).toEqual([]);
    const completed = (await host.events("st-1")).at(-1);
    expect(completed).toMatchObject({ event_type: "execution_completed", payload: { chunk_count: 3 } });
  });

  it("that is denied is plain JSON (wire suite: streaming invocation, binding, proposal 0006)", async () => {
    const said = await host.post("/invoke", { capability_id: "conformance.unsafe", mode: "stream" });
    expect([said.status, said.type]).toEqual([200, "application/json"]);
    expect(said.json).toMatchObject({ outcome: "denied" });
  });

  it("is a whole in sync mode (wire suite: streaming invocation, binding, proposal 0006)", async () => {
    expect(await host.invoke("conformance.stream")).toMatchObject({ data: { chunks: 3, joined: "s1s2s3" } });
  });

  it("has numbered pieces, of which evidence keeps the digest; asked again it gives them once more, from where the caller left it (wire suite: streaming completion, v0.2 §13.1, proposal 0012)", async () => {
    const same = { invocation_id: "st-again", ...on("st-again") };
    const ask = async (headers: Record<string, string> = {}): Promise<unknown[]> =>
      framesOf((await open(same, headers)).text).map(({ id, event, data }) => [
        id,
        event === "chunk" ? data["delta"] : data["outcome"],
        data["replayed"] ?? false,
      ]);
    const pieces = ["s1", "s2", "s3"];
    const chunks = pieces.map((delta, i) => [i, delta, false]);
    expect(await ask()).toEqual([...chunks, [3, "success", false]]);
    expect((await host.events("st-again")).at(-1)?.["payload"]).toMatchObject({
      chunk_count: 3,
      chunk_seq_digest: hash("sha256", pieces.map((delta) => `${stable(delta)}\n`).join("")),
    });
    expect(await ask()).toEqual([...chunks, [3, "success", true]]);
    for (const last of [0, 1, 2])
      expect(await ask({ "last-event-id": `${last}` })).toEqual([...chunks.slice(last + 1), [3, "success", true]]);
    expect(await host.types("st-again")).toEqual(["execution_started", "execution_completed"]);
  });
});

describe("the same call again", () => {
  it("is given the recorded result, marked, and runs once (wire suite: idempotent replay, v0.2 §13, proposal 0008)", async () => {
    const more = { invocation_id: "again-1", ...on("again-1") };
    const first = await host.invoke("conformance.echo", { value: "nonce" }, more);
    const second = await host.invoke("conformance.echo", { value: "nonce" }, more);
    expect(first).not.toHaveProperty("replayed");
    expect(second).toEqual({ ...first, replayed: true });
    expect(await host.types("again-1")).toEqual(["execution_started", "execution_completed"]);
  });

  it("is denied again when it was denied, with one event (wire suite: idempotent replay, v0.2 §13, proposal 0008)", async () => {
    const more = { invocation_id: "again-2", ...on("again-2") };
    const first = await host.invoke("conformance.risky", {}, more);
    expect(await host.invoke("conformance.risky", {}, more)).toEqual({ ...first, replayed: true });
    expect(await host.types("again-2")).toEqual(["execution_denied"]);
  });

  it("under another id runs again (wire suite: idempotent replay, v0.2 §13, proposal 0008)", async () => {
    for (const invocation_id of ["again-a", "again-b"]) {
      const result = await host.invoke("conformance.echo", { value: "fresh" }, { invocation_id });
      expect(result).toMatchObject({ invocation_id, outcome: "success" });
      expect(result).not.toHaveProperty("replayed");
    }
  });

  it("with other arguments, or by somebody else, is another call", async () => {
    const more = { invocation_id: "again-3" };
    await host.invoke("conformance.echo", { value: 1 }, more);
    const other = await host.invoke("conformance.echo", { value: 2 }, more);
    expect(codeOf(other)).toBe("dev.bailiwick.idempotency_conflict");
    const body = { capability_id: "conformance.echo", payload: { value: 1 }, ...more };
    const { json } = await host.post("/invoke", body, { key: "sk" });
    expect(json).toMatchObject({ outcome: "success" });
    expect(json).not.toHaveProperty("replayed");
  });
});
