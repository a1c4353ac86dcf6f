/**
 * Joins a draft into its canonical event line and hashes it: commitment of the payload, cover (which is the event id),
 * content hash. Written out by hand for the fixed shape: the members below stand in code point order and must stay so.
 */
import { hash } from "node:crypto";
import { stableString } from "../kernel/stable.ts";
import { FIELD, type DraftFields } from "./draft-fields.ts";

export type Durability = "before-execution" | "batched" | "memory";

export interface EventOrigin {
  readonly hostId: string;
  readonly environment: string;
  readonly durability: Durability;
}

export interface EventPlace {
  readonly sequence: number;
  readonly timestamp: string;
  readonly prevHash: string | null;
  /** Something was taken out of it. */
  readonly redacted: boolean;
}

export interface ComposedEvent {
  readonly line: string;
  readonly eventId: string;
  readonly contentHash: string;
}

export const EVENT_ID_CHARS = "evt_c1_".length + 64;

export type ComposeEvent = (fields: DraftFields, at: number, place: EventPlace) => ComposedEvent;

const text = (value: string | null | undefined): string =>
  value === null || value === undefined ? "null" : stableString(value);

export const eventComposer = (origin: EventOrigin): ComposeEvent => {
  const level = origin.durability === "before-execution" ? "S2" : "S1";
  const notes = '"notes": ["bailiwick-cover-v1"]';
  const assurance = `"assurance": {"evidence_policy": "${origin.durability}", "level": "${level}", ${notes}}`;
  const host = `"host_id": ${stableString(origin.hostId)}`;
  const environment = `"environment": ${stableString(origin.environment)}`;

  return (fields, at, place) => {
    const capability = `"capability_id": ${text(fields[at + FIELD.capabilityId])}`;
    const correlationId = `"correlation_id": ${text(fields[at + FIELD.correlationId])}`;
    const type = `"event_type": ${text(fields[at + FIELD.type])}`;
    const call = `${host}, "invocation_id": ${text(fields[at + FIELD.invocationId])}, "outcome": ${text(fields[at + FIELD.outcome])}`;
    const payload = fields[at + FIELD.payload] ?? "{}";
    const commitment = `"payload_commitment": "${hash("sha256", payload)}"`;
    const prev = `"prev_hash": ${place.prevHash === null ? "null" : `"${place.prevHash}"`}`;
    const time = `"timestamp": "${place.timestamp}"}`;

    const digest = fields[at + FIELD.actionDigest];
    const action = digest === null || digest === undefined ? "" : `"action_digest": ${stableString(digest)}, `;
    const head = `{${action}${assurance}, ${capability}, "capability_version": ${text(fields[at + FIELD.capabilityVersion])}, `;
    const middle =
      `"correlation": {"baggage": {}, "causation_id": ${text(fields[at + FIELD.causationId])}, ${correlationId}, ` +
      `${environment}, "parent_correlation_id": ${text(fields[at + FIELD.parentId])}, ` +
      `"trace_id": ${text(fields[at + FIELD.traceId])}}, ` +
      `"denial": ${fields[at + FIELD.denial] ?? "null"}, "error": ${fields[at + FIELD.error] ?? "null"}, `;
    const kind = `${type}, "hash_scheme": "chp-event-hash-v2", ${call}, `;
    const tail = `"redacted": ${place.redacted}, "sequence": ${place.sequence}, "subject": ${fields[at + FIELD.subject] ?? "null"}, ${time}`;

    const eventId = `evt_c1_${hash("sha256", `${head}${middle}${kind}${commitment}, ${tail}`)}`;
    const id = `"event_id": "${eventId}"`;
    const contentHash = hash(
      "sha256",
      `{${capability}, ${correlationId}, ${id}, ${type}, ${call}, ${commitment}, ${prev}, ${time}`,
    );
    const line =
      `${head}"content_hash": "${contentHash}", ${middle}${id}, ${kind}"payload": ${payload}, ` +
      `${commitment}, ${prev}, ${tail}`;
    return { line, eventId, contentHash };
  };
};
