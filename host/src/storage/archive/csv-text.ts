/** Events as a table (RFC 4180). A cell that a spreadsheet would take for a formula gets an apostrophe. Pure. */
import type { Json } from "./archive-parts.ts";

type Event = Readonly<Record<string, unknown>>;

const part = (event: Event, key: string): Json => (event[key] ?? {}) as Json;

const CELLS: Readonly<Record<string, (event: Event) => unknown>> = {
  sequence: (event) => event["sequence"],
  timestamp: (event) => event["timestamp"],
  event_type: (event) => event["event_type"],
  outcome: (event) => event["outcome"],
  denial_code: (event) => part(event, "denial")["code"],
  capability_id: (event) => event["capability_id"],
  capability_version: (event) => event["capability_version"],
  subject_id: (event) => part(event, "subject")["id"],
  subject_type: (event) => part(event, "subject")["type"],
  on_behalf_of: (event) => part(event, "subject")["on_behalf_of"],
  workspace: (event) => part(event, "subject")["workspace"],
  door: (event) => part(event, "subject")["door"],
  invocation_id: (event) => event["invocation_id"],
  correlation_id: (event) => part(event, "correlation")["correlation_id"],
  causation_id: (event) => part(event, "correlation")["causation_id"],
  approval_id: (event) => approvalOf(event),
  duration_ms: (event) => part(event, "payload")["duration_ms"],
  event_id: (event) => event["event_id"],
  content_hash: (event) => event["content_hash"],
};

/** Named in the payload, or in the details of the denial that asks for it. */
export const approvalOf = (event: Event): unknown =>
  part(event, "payload")["approval_id"] ?? part(part(event, "denial"), "details")["approval_id"];

const cell = (value: unknown): string => {
  const text = typeof value === "string" ? value : typeof value === "number" ? String(value) : "";
  const safe = /^[=+\-@]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};

export function* csvText(lines: Iterable<string>): Iterable<string> {
  yield `${Object.keys(CELLS).join(",")}\r\n`;
  const columns = Object.values(CELLS);
  for (const line of lines) {
    const event = JSON.parse(line) as Event;
    yield `${columns.map((read) => cell(read(event))).join(",")}\r\n`;
  }
}
