/**
 * The behaviours that the public CHP wire suite asks of a host, first part: calls, refusals, evidence. A title names the
 * check of the suite that it stands for.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isSignedBy, keyIdOf } from "../kernel/signing.ts";
import { stable } from "../kernel/stable.ts";
import type { Json } from "../kernel/chp-client-for-tests.ts";
import { startChpHost, type ChpHost } from "./chp-host-for-tests.ts";

let host: ChpHost;
beforeAll(async () => {
  host = await startChpHost();
}, 60_000);
afterAll(() => host.stop());

const IDS = ["approval", "budgeted", "echo", "fail", "guarded", "risky", "stream", "unsafe"].map(
  (n) => `conformance.${n}`,
);
const on = (correlation_id: string): Json => ({ correlation: { correlation_id } });

describe("discovery", () => {
  it("declares a host with its protocol and its capabilities (wire suite: capability declaration)", async () => {
    const { json } = await host.get("/host");
    expect(json).toMatchObject({ id: "conformance-host", kind: "service", protocol_version: "0.2" });
    expect(json["capabilities"].map(({ id }: Json) => id)).toEqual(expect.arrayContaining(IDS));
  });

  it("describes each capability with version and modes (wire suite: capability discovery)", async () => {
    const { json } = await host.get("/capabilities");
    const found = new Map<string, Json>(json["capabilities"].map((each: Json) => [each["id"], each]));
    for (const id of IDS) expect(found.get(id)).toMatchObject({ version: "1.0.0" });
    for (const { version, modes } of found.values())
      expect([version, modes]).toEqual([expect.any(String), expect.any(Array)]);
    expect((await host.get("/host")).json["capabilities"]).toEqual(json["capabilities"]);
    expect(found.get("conformance.echo")?.["modes"]).toEqual(["sync"]);
    expect(found.get("conformance.stream")?.["modes"]).toEqual(["sync", "stream"]);
  });

  it("serves its identity to anybody, and the attestation verifies under the key (wire suite: identity document, v0.2 §3.1)", async () => {
    const { json } = await host.get("/.well-known/chp-identity", { key: null });
    const { signature, ...claim } = json["host_identity"] as Json;
    expect(json).toMatchObject({ assurance: "signed", key_id: keyIdOf(json["public_key"]) });
    expect(claim).toMatchObject({ host_id: "conformance-host", public_key: json["public_key"] });
    expect(isSignedBy(json["public_key"], stable(claim), signature)).toBe(true);
  });

  it("names the versions that it speaks and refuses others (wire suite: wire-version negotiation, v0.4.1 §1.1, proposal 0016)", async () => {
    const { json } = await host.get("/host", { headers: { "x-chp-version": "0.1" } });
    const { protocol_version, supported_versions } = json;
    expect(supported_versions).toEqual(["0.1", "0.2"]);
    expect(supported_versions).toContain(protocol_version);
    const body = { capability_id: "conformance.echo", payload: { v: 1 } };
    for (const version of supported_versions as string[]) {
      const said = await host.post("/invoke", body, { headers: { "x-chp-version": version } });
      expect([said.status, said.json["success"]]).toEqual([200, true]);
    }
    const headers = { "x-chp-version": "99.0" };
    for (const said of [await host.get("/host", { headers }), await host.post("/invoke", body, { headers })])
      expect([said.status, said.json["denial"].code]).toEqual([400, "version_unsupported"]);
  });
});

describe("a call", () => {
  it("returns what the tool said (wire suite: invocation through envelope)", async () => {
    const result = await host.invoke("conformance.echo", { value: "ok" }, on("s-invoke"));
    expect(result).toMatchObject({ success: true, outcome: "success", data: { echo: "ok" } });
    expect(await host.invoke("conformance.echo")).toMatchObject({ data: { echo: null } });
  });

  it("may come with all that an envelope has; who is named in it is not believed (wire suite: invocation through envelope)", async () => {
    const envelope = { mode: "sync", subject: { id: "remote", type: "user" }, metadata: {}, correlation: {} };
    const result = await host.invoke("conformance.echo", { value: "ok" }, { ...envelope, invocation_id: "inv_filled" });
    expect(result).toMatchObject({ success: true, invocation_id: "inv_filled", data: { echo: "ok" } });
    const { correlation_id } = result["correlation"] as Json;
    expect(correlation_id).toMatch(/^corr_[0-9a-f]{32}$/);
    for (const { subject } of await host.events(correlation_id))
      expect(subject).toMatchObject({ id: "runner", type: "api_key", verified: true });
  });

  it("keeps its correlation everywhere (wire suite: correlation propagation)", async () => {
    const result = await host.invoke("conformance.echo", { value: 1 }, on("s-correlation"));
    expect(result["correlation"].correlation_id).toBe("s-correlation");
    const events = await host.events("s-correlation");
    expect(events.length).toBeGreaterThan(0);
    for (const event of events) expect(event["correlation"].correlation_id).toBe("s-correlation");
  });

  it("that succeeds leaves two events, named in its result (wire suite: evidence emission on success)", async () => {
    const result = await host.invoke("conformance.echo", { value: 1 }, on("s-success"));
    const events = await host.events("s-success");
    expect(events.map(({ event_type: type }) => type)).toEqual(["execution_started", "execution_completed"]);
    expect(result["evidence_ids"]).toEqual(events.map(({ event_id: id }) => id));
  });

  it("that fails leaves two events and an error (wire suite: evidence emission on failure)", async () => {
    const result = await host.invoke("conformance.fail", {}, on("s-failure"));
    expect(result).toMatchObject({
      success: false,
      outcome: "failure",
      error: { code: "host_error", message: expect.stringContaining("expected failure") },
    });
    expect(await host.types("s-failure")).toEqual(["execution_started", "execution_failed"]);
  });

  it("that an invariant denies leaves one event and nothing else (wire suite: evidence emission on denial)", async () => {
    const result = await host.invoke("conformance.guarded", {}, on("s-denial"));
    expect(result).toMatchObject({
      success: false,
      outcome: "denied",
      started_at: null,
      denial: { code: "invariant_failed", invariant_id: "requires_value" },
    });
    expect(await host.types("s-denial")).toEqual(["execution_denied"]);
    expect(await host.invoke("conformance.guarded", { value: 1 })).toMatchObject({ outcome: "success" });
  });

  it.each([" ", "conformance.nothing", "Conformance.Echo", "nonexistent.capability.xyz"])(
    "of %j, which there is not, is a denial (wire suite: standard denial codes)",
    async (id) => {
      const denied = { success: false, outcome: "denied", denial: { code: "capability_not_found" } };
      expect(await host.invoke(id)).toMatchObject(denied);
    },
  );

  it("in a mode that the tool has not is a denial (wire suite: standard denial codes)", async () => {
    for (const mode of ["stream", "async", "fire_and_forget"]) {
      const result = await host.invoke("conformance.echo", {}, { mode });
      expect(result["denial"]).toMatchObject({ code: "unsupported_mode" });
    }
  });

  it("of a version that there is not is a denial that names those there are", async () => {
    const result = await host.invoke("conformance.echo", {}, { requested_capability_version: "^2" });
    expect(result["denial"]).toMatchObject({
      code: "capability_version_unsupported",
      details: { requested: "^2", available: ["1.0.0"] },
    });
    expect(await host.invoke("conformance.echo", {}, { requested_capability_version: "^1" })).toMatchObject({
      outcome: "success",
    });
  });

  it("that needs an approval asks for it and does not begin (wire suite: approval-required governance, v0.2)", async () => {
    const result = await host.invoke("conformance.approval", {}, on("s-approval"));
    const denied = { success: false, outcome: "denied", denial: { code: "approval_required", retryable: true } };
    expect(result).toMatchObject(denied);
    expect(await host.types("s-approval")).toEqual(["approval_requested", "execution_denied"]);
    const { approval_id: id } = result["denial"].details;
    expect((await host.get(`/approvals/${id}`)).json).toMatchObject({ state: "pending" });
    const again = await host.invoke("conformance.approval", {}, on("s-approval-again"));
    expect(again).toMatchObject({ ...denied, denial: { details: { approval_id: id } } });
    expect(await host.types("s-approval-again")).toEqual(["approval_requested", "execution_denied"]);
    expect(again["evidence_ids"]).toHaveLength(2);
  });

  it("beyond a budget is denied, and the one within it runs (wire suite: budget-exceeded governance, v0.2)", async () => {
    expect(await host.invoke("conformance.budgeted", {}, on("s-budget"))).toMatchObject({ outcome: "success" });
    const second = await host.invoke("conformance.budgeted", {}, on("s-budget"));
    expect(second).toMatchObject({ success: false, outcome: "denied", denial: { code: "budget_exceeded" } });
    expect(await host.types("s-budget")).toEqual([
      "execution_started",
      "execution_completed",
      "budget_exceeded",
      "execution_denied",
    ]);
    expect(await host.invoke("conformance.budgeted", {}, on("s-budget-2"))).toMatchObject({ outcome: "success" });
  });

  it("of a risk above the host's is denied (wire suite: risk-tier governance, v0.2)", async () => {
    const result = await host.invoke("conformance.risky", {}, on("s-risk"));
    expect(result).toMatchObject({ success: false, outcome: "denied", denial: { code: "policy_blocked" } });
    expect(await host.types("s-risk")).toEqual(["execution_denied"]);
  });

  it("that a guardrail stops leaves its assessment (wire suite: safety-guardrail governance, v0.2)", async () => {
    const result = await host.invoke("conformance.unsafe", {}, on("s-safety"));
    expect(result).toMatchObject({ success: false, outcome: "denied", denial: { code: "safety_blocked" } });
    expect(await host.types("s-safety")).toEqual([
      "safety_assessment_started",
      "safety_assessment_completed",
      "safety_guardrail_triggered",
      "safety_action_blocked",
      "execution_denied",
    ]);
  });

  it("by a key of one scope runs inside it and is a denial outside (wire suite: capability-scoped caller key, binding §2)", async () => {
    const ask = async (capability_id: string): Promise<Json> =>
      (await host.post("/invoke", { capability_id, ...on("s-scoped") }, { key: "sk" })).json;
    expect(await ask("conformance.echo")).toMatchObject({ outcome: "success" });
    expect(await ask("conformance.fail")).toMatchObject({ outcome: "denied", denial: { code: "policy_blocked" } });
    const subject = (await host.events("s-scoped"))[0]?.["subject"] as Json;
    expect(subject).toMatchObject({ id: "conformance-scoped", type: "api_key", verified: true });
  });
});

describe("evidence", () => {
  it("is replayed in order, hashes included, and pages (wire suite: replay by correlation id)", async () => {
    for (let i = 0; i < 3; i++) await host.invoke("conformance.echo", { value: i }, on("s-replay"));
    const events = await host.events("s-replay");
    const sequences = events.map(({ sequence }) => sequence as number);
    expect(sequences).toEqual(sequences.toSorted((a, b) => a - b));
    for (const [i, event] of events.entries()) {
      expect(event["content_hash"]).toMatch(/^[0-9a-f]{64}$/);
      expect(event["prev_hash"]).toBe(i === 0 ? null : events[i - 1]?.["content_hash"]);
    }
    const body = { correlation_id: "s-replay", limit: 2, since_sequence: sequences[1] };
    const { json } = await host.post("/replay", body);
    expect(json).toMatchObject({ event_count: 2, truncated: true });
    expect(json["events"].map(({ sequence }: Json) => sequence)).toEqual(sequences.slice(2, 4));
  });

  it("verifies, and says so of what it does not have (wire suite: chain verification over /verify)", async () => {
    await host.invoke("conformance.echo", {}, on("s-verify"));
    expect((await host.get("/verify/s-verify")).json).toMatchObject({ valid: true, event_count: 2 });
    expect((await host.get("/verify/s-nothing")).json).toMatchObject({ event_count: 0 });
    expect((await host.get("/replay/s-nothing")).json).toMatchObject({ event_count: 0, events: [] });
  });

  it("is exported as a bundle that is signed and complete (wire suite: export bundle verifies, v0.2 §4a)", async () => {
    await host.invoke("conformance.echo", {}, on("s-export"));
    const { json } = await host.get("/export/s-export");
    expect(json).toMatchObject({ assurance: "signed", canonicalization: "chp-stable-v1" });
    const { host_id, protocol_version, created_at, canonicalization, root_hash, completeness } = json;
    expect(completeness).toMatchObject({ scheme: "chp-completeness-v1", correlation_id: "s-export" });
    const header = { host_id, protocol_version, created_at, canonicalization, root_hash, completeness };
    expect(isSignedBy(json["public_key"], stable(header), json["signature"].signature)).toBe(true);
    const empty = (await host.get("/export/s-nothing")).json;
    expect(empty["events"]).toEqual([]);
    expect(empty).not.toHaveProperty("completeness");
  });

  it("is not for those whose call it was not", async () => {
    await host.invoke("conformance.echo", {}, on("s-private"));
    expect((await host.get("/replay/s-private", { key: "sk" })).json).toMatchObject({ event_count: 0 });
  });
});
