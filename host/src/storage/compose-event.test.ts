import { hash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { stable } from "../kernel/stable.ts";
import { eventComposer } from "./compose-event.ts";
import { packDraft, unpackDrafts } from "./draft-fields.ts";
import { draft, vector } from "./evidence-for-tests.ts";
import type { Outcome } from "../kernel/evidence.ts";

interface VectorEvent {
  event_id: string;
  event_type: string;
  invocation_id: string;
  capability_id: string;
  capability_version: string;
  correlation: { correlation_id: string };
  timestamp: string;
  sequence: number;
  outcome: Outcome | null;
  payload: unknown;
  error: unknown;
  denial: unknown;
  subject: unknown;
  prev_hash: string | null;
  content_hash: string;
}

const { events, covers } = vector("bailiwick/evidence.json") as {
  events: VectorEvent[];
  covers: { sequence: number; sha256: string }[];
};

describe("composing an event", () => {
  it.each(events)("gives event $sequence of the vector its exact text, id and hash", (event) => {
    const compose = eventComposer({ hostId: "service-ops-host", environment: "prod", durability: "before-execution" });
    const packed = packDraft({
      type: event.event_type,
      invocationId: event.invocation_id,
      capabilityId: event.capability_id,
      capabilityVersion: event.capability_version,
      correlation: {
        id: event.correlation.correlation_id,
        causationId: null,
        parentId: null,
        traceId: null,
        fresh: false,
      },
      outcome: event.outcome,
      payload: stable(event.payload),
      subject: stable(event.subject),
      error: stable(event.error),
      denial: stable(event.denial),
    });
    const composed = compose(unpackDrafts(packed), 0, {
      sequence: event.sequence,
      timestamp: event.timestamp,
      prevHash: event.prev_hash,
      redacted: false,
    });
    expect(composed.line).toBe(stable(event));
    expect(composed.eventId).toBe(event.event_id);
    expect(composed.eventId).toBe(`evt_c1_${covers[event.sequence - 1]?.sha256}`);
    expect(composed.contentHash).toBe(event.content_hash);
  });

  it("puts the digest of the exact call and what was taken out into the text that its id covers", () => {
    const compose = eventComposer({ hostId: "h", environment: "prod", durability: "memory" });
    const place = { sequence: 1, timestamp: "2026-01-01T00:00:00.000Z", prevHash: null };
    const plain = compose(unpackDrafts(packDraft(draft({ correlationId: "c", invocationId: "i" }))), 0, {
      ...place,
      redacted: true,
    });
    const digest = `sha256:${"0".repeat(64)}`;
    const fields = unpackDrafts(packDraft(draft({ correlationId: "c", invocationId: "i", actionDigest: digest })));
    const { line, eventId } = compose(fields, 0, { ...place, redacted: true });
    const event = JSON.parse(line) as Record<string, unknown>;
    expect(line).toBe(stable(event));
    expect(event).toMatchObject({ action_digest: digest, redacted: true });
    const { event_id: _id, content_hash: _hash, prev_hash: _prev, payload: _payload, ...cover } = event;
    expect(eventId).toBe(`evt_c1_${hash("sha256", stable(cover))}`);
    expect(eventId).not.toBe(plain.eventId);
    expect(plain.line).not.toContain("action_digest");
  });

  it("writes hostile ids as canonical text", () => {
    const compose = eventComposer({ hostId: 'h"\n', environment: "prod", durability: "memory" });
    const packed = packDraft({
      type: "execution_denied",
      invocationId: 'inv"}\t\u2028',
      capabilityId: 'x", "correlation": {"correlation_id": "y\ud800',
      capabilityVersion: null,
      correlation: { id: "corr \\ é", causationId: "c", parentId: "p", traceId: "t", fresh: true },
      outcome: "denied",
      payload: "{}",
      subject: "null",
      error: "null",
      denial: "null",
    });
    const { line } = compose(unpackDrafts(packed), 0, {
      sequence: 1,
      timestamp: "2026-01-01T00:00:00.000Z",
      prevHash: null,
      redacted: false,
    });
    expect(line).toBe(stable(JSON.parse(line)));
    expect(line).not.toContain("\n");
    expect(JSON.parse(line)).toMatchObject({
      capability_id: 'x", "correlation": {"correlation_id": "y\ufffd',
      host_id: 'h"\n',
      correlation: { correlation_id: "corr \\ é", causation_id: "c", parent_correlation_id: "p", trace_id: "t" },
      assurance: { level: "S1", evidence_policy: "memory" },
    });
  });
});
