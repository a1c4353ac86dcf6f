/** The published vectors of digests and grants, and our own. */
import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { actionDigest, documentDigest, invocationDigest } from "./digests.ts";
import { payloadCommitment } from "./payload-commitment.ts";
import { callOf, principal, SIGNER } from "./room-for-tests.ts";
import { signGrant, type Grant } from "./sign-grant.ts";
import { checkGrant, grantMismatch } from "./verify-grant.ts";

const vector = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../../../test/vectors/${name}`, import.meta.url), "utf8"));

type Json = Record<string, unknown>;

describe("digests.json", () => {
  const digests = vector("chp/digests.json") as Record<string, Json>;
  it.each(["action", "invocation"])("the %s document has its digest", (kind) => {
    expect(documentDigest(digests[`${kind}_document`] ?? {})).toBe(digests[`${kind}_digest`]);
  });
});

describe("approval-grant.json", () => {
  const { cases } = vector("chp/approval-grant.json") as {
    cases: { note: string; grant: Json; at_time: string; valid: boolean }[];
  };
  it.each(cases)("$note", ({ grant, at_time, valid }) => {
    expect("publicKey" in checkGrant(grant, Date.parse(at_time))).toBe(valid);
  });
});

describe("provider-substitution.json", () => {
  const vectors = vector("chp/provider-substitution.json") as {
    grant_for_a: Grant;
    action_digest: string;
    invocation_a: { executor: string; invocation_document: Json };
    invocation_b: { executor: string; invocation_document: Json };
  };
  const grant = vectors.grant_for_a;
  const attempt = ({ executor, invocation_document: document }: (typeof vectors)["invocation_a"]) => ({
    audience: executor,
    invocation_id: String(document["invocation_id"]),
    payload_commitment: payloadCommitment({ text: "hello" }),
    action_digest: vectors.action_digest,
    binding_id: (document["binding"] as { id: string }).id,
    invocation_digest: documentDigest(document),
  });

  it("the grant is good, and for provider a", () => {
    expect(checkGrant(grant, Date.parse("2026-11-16T00:00:00Z"))).toMatchObject({ grant });
    expect(grantMismatch(grant, attempt(vectors.invocation_a))).toBeNull();
  });

  it("and for no other provider, whatever else is the same", () => {
    const [a, b] = [attempt(vectors.invocation_a), attempt(vectors.invocation_b)];
    expect(grantMismatch(grant, b)).toBe("audience");
    expect(grantMismatch(grant, { ...a, binding_id: b.binding_id })).toBe("binding_id");
    expect(grantMismatch(grant, { ...a, invocation_digest: b.invocation_digest })).toBe("invocation_digest");
    expect(grantMismatch(grant, { ...a, payload_commitment: payloadCommitment({ text: "hello!" }) })).toBe(
      "payload_commitment",
    );
  });
});

describe("evidence.json", () => {
  const vectors = vector("bailiwick/evidence.json") as { call_digest: { document: Json; digest: string }; grant: Json };
  const { document, digest } = vectors.call_digest;
  const input = document["input"] as Json;
  const definition = (document["semantic_context"] as { definition: string }).definition;
  const call = callOf({ args: input, by: principal("agent:planning-assistant"), definition });

  it("the digest of a call, from the document and from the call itself", () => {
    expect(documentDigest(document)).toBe(digest);
    expect(actionDigest(call, null)).toBe(digest);
  });

  it("another argument, definition, root list, caller, workspace or person behind it is another digest", () => {
    const others = [
      actionDigest(callOf({ args: { ...input, technicians: 3 }, by: call.principal, definition }), null),
      actionDigest(callOf({ args: input, by: call.principal, definition: "sha256:1" }), null),
      actionDigest(call, "sha256:roots"),
      actionDigest(callOf({ args: input, by: principal("agent:other"), definition }), null),
      actionDigest(callOf({ args: input, by: { ...call.principal, workspace: "ws_b" }, definition }), null),
      actionDigest(callOf({ args: input, by: { ...call.principal, onBehalfOf: "person:ann" }, definition }), null),
      actionDigest(callOf({ args: input, by: call.principal, definition, capability: { version: "1.0.1" } }), null),
    ];
    expect(new Set([digest, ...others]).size).toBe(others.length + 1);
  });

  it("the grant that the host signs when maria says yes", () => {
    const record = { id: "apr_demo", invocation_id: "inv_demo", commitment: payloadCommitment(input), digest };
    const grant = signGrant({
      record,
      person: "person:maria",
      validUntil: "2026-11-15T21:00:00.000Z",
      hostId: "service-ops-host",
      signer: SIGNER,
    });
    expect(grant).toEqual(vectors.grant);
    expect(checkGrant(grant, Date.parse("2026-11-15T20:59:59Z"))).toHaveProperty("publicKey", SIGNER.publicKey);
    expect(checkGrant(grant, Date.parse("2026-11-15T21:00:00Z"))).toEqual({ fault: "it has expired" });
  });

  it("of a read, the URI is part of the digest", () => {
    const read = (uri: string) =>
      callOf({ args: {}, over: { operation: "read", target: { ...call.target, name: uri, tool: null } } });
    expect(actionDigest(read("file:///a"), null)).not.toBe(actionDigest(read("file:///b"), null));
  });

  it("another host or provider is another attempt of the same call", () => {
    const attempt = { hostId: "host-1", invocationId: "inv_1", actionDigest: digest };
    const elsewhere = callOf({ args: input, by: call.principal, definition, flatName: "other__schedule_technician" });
    const digests = [
      invocationDigest(call, attempt),
      invocationDigest(call, { ...attempt, hostId: "host-2" }),
      invocationDigest(elsewhere, attempt),
    ];
    expect(new Set(digests).size).toBe(3);
  });
});

it("a commitment writes fractions as RFC 8785 does, and sorts by code point", () => {
  const args = { "\u{1F600}": null, "\uffff": true, b: 1e21, a: 1.5, c: [-0, -2] };
  const text = '{"a": 1.5, "b": 1e+21, "c": [0, -2], "\\uffff": true, "\\ud83d\\ude00": null}';
  expect(payloadCommitment(args)).toBe(hash("sha256", text));
});
