/** Evidence: read, proved, taken along, and taken out for good. */
import type { Family } from "./described.ts";
import { anyObject, between, count, flag, list, object, order, orNull, ref, said, text, word } from "./schema.ts";

export const EVIDENCE: Family = {
  tag: "evidence",
  routes: {
    "GET /v1/evidence": {
      id: "listEvidence",
      summary: "Events that the caller may see, newest first",
      query: {
        correlation: text,
        invocation: text,
        capability: said("Capability id or flat name"),
        subject: text,
        type: text,
        outcome: text,
        limit: between(1, 1000),
        cursor: text,
      },
      answers: [{ text: "A page of them", schema: object({ events: list(ref("Event")), nextCursor: orNull(text) }) }],
    },
    "GET /v1/evidence/*": {
      id: "getEvidence",
      summary: "One event",
      at: ["id"],
      answers: [{ text: "The event", schema: ref("Event") }],
    },
    "GET /v1/evidence/trace/*": {
      id: "traceEvidence",
      summary: "The steps of each call of a correlation",
      at: ["correlation"],
      answers: [{ text: "The steps", schema: anyObject }],
    },
    "GET /v1/evidence/verify": {
      id: "verifyEvidence",
      summary: "Whether a correlation is whole and unchanged",
      query: { correlation: text },
      answers: [{ text: "What was checked and found", schema: anyObject }],
    },
    "GET /v1/evidence/export": {
      id: "exportEvidence",
      summary: "Evidence to take along",
      query: {
        format: word("bundle", "jsonl", "csv", "otel"),
        correlation: said("Needed for a bundle"),
        from: said("The first sequence", count),
        to: said("The last sequence", count),
        payloads: said("false: they are withheld, and all still verifies", flag),
      },
      answers: [{ text: "A file; the type is that of the format", type: "*/*", schema: text }],
      refusals: ["permission_missing"],
    },
    "POST /v1/evidence/purge": {
      id: "purgeEvidence",
      summary: "Remove all events of a correlation for good; for persons with host:admin",
      body: { schema: order({ correlation: text, reason: text }) },
      answers: [{ text: "How many went", schema: object({ correlation: text, events: count }) }],
      refusals: ["permission_missing", "escalation_required", "protected", "run_in_progress", "evidence_unavailable"],
    },
    "POST /v1/evidence/redact": {
      id: "redactEvidence",
      summary: "Remove the payload of one event for good; for persons with host:admin",
      body: {
        schema: order({ event: said("Event id or sequence", { type: ["string", "integer"] }), reason: text }),
      },
      answers: [{ text: "Which event", schema: object({ sequence: count, event_id: text }) }],
      refusals: ["permission_missing", "escalation_required", "protected", "run_in_progress", "evidence_unavailable"],
    },
  },
  schemas: {
    Event: said("As the schema of CHP's execution evidence has it", anyObject),
  },
};
