/**
 * One correlation as a person follows it: for each invocation who acted, what was asked for, on which host, which rule
 * decided, in what context, and what came of it. Pure.
 */
import { HOST_CAPABILITY } from "../../kernel/host-capability.ts";
import type { Json } from "./archive-parts.ts";
import { approvalOf } from "./csv-text.ts";
import { InvocationKeys } from "./invocation-keys.ts";

const part = (event: Json, key: string): Json => (event[key] ?? {}) as Json;

/** The first of these events that says it. */
const firstSaid = (events: readonly Json[], read: (event: Json) => unknown): unknown => {
  for (const event of events) {
    const said = read(event);
    if (said !== undefined && said !== null) return said;
  }
  return null;
};

const ENDS = /^execution_(completed|failed|denied|skipped|indeterminate)$/;
const DECISIONS: Readonly<Record<string, string>> = { denied: "denied", skipped: "skipped" };

/** What the host wrote about itself, or about a run: nobody asked for a capability, so there is nothing to decide. */
const isOwn = ([first]: readonly Json[]): boolean => first?.["capability_id"] === HOST_CAPABILITY;

const policyOf = (events: readonly Json[], outcome: string | null): Json => {
  const details = (event: Json): Json => part(part(event, "denial"), "details");
  const started = events.some((event) => event["event_type"] === "execution_started");
  return {
    step: "policy",
    decision: started ? "allowed" : (DECISIONS[outcome ?? ""] ?? (isOwn(events) ? null : "pending")),
    rule: firstSaid(events, (event) => details(event)["matched_rule"] ?? part(event, "payload")["rule"]),
    policy_version: firstSaid(
      events,
      (event) => part(event, "payload")["policy_version"] ?? details(event)["policy_version"],
    ),
    approval_id: firstSaid(events, approvalOf),
  };
};

const resultOf = (events: readonly Json[], end: Json | undefined): Json => {
  const no = end ? (end["denial"] ?? end["error"]) : null;
  const { code = null, message = null } = (no ?? {}) as Json;
  return {
    step: "result",
    outcome: end?.["outcome"] ?? null,
    code,
    message,
    at: (end ?? events.at(-1))?.["timestamp"] ?? null,
    duration_ms: end ? (part(end, "payload")["duration_ms"] ?? null) : null,
    event_id: end?.["event_id"] ?? null,
  };
};

const stepsOf = (events: readonly Json[]): Json[] => {
  const [first = {}] = events;
  const end = events.findLast((event) => ENDS.test(String(event["event_type"])));
  const subject = (firstSaid(events, (event) => event["subject"]) ?? {}) as Json;
  const { correlation_id: correlationId, causation_id: causationId, trace_id: traceId } = part(first, "correlation");
  const payload = (key: string): unknown => firstSaid(events, (event) => part(event, "payload")[key]);
  return [
    {
      step: "actor",
      id: subject["id"] ?? null,
      type: subject["type"] ?? null,
      verified: subject["verified"] ?? null,
      on_behalf_of: subject["on_behalf_of"] ?? null,
      door: subject["door"] ?? null,
    },
    {
      step: "capability",
      id: first["capability_id"] ?? null,
      version: first["capability_version"] ?? null,
      tool: payload("tool"),
      definition: payload("definition"),
    },
    { step: "host", id: first["host_id"] ?? null },
    policyOf(events, (end?.["outcome"] as string | null | undefined) ?? null),
    {
      step: "context",
      correlation_id: correlationId ?? null,
      causation_id: causationId ?? null,
      trace_id: traceId ?? null,
      workspace: subject["workspace"] ?? null,
      context: payload("context"),
    },
    resultOf(events, end),
  ];
};

/** Invocations in the order of their first event. */
export const traceOf = (correlationId: string, events: readonly Json[]): Json => {
  const keys = new InvocationKeys();
  const invocations = Map.groupBy(events, (event) => keys.of(event));
  return {
    correlation_id: correlationId,
    event_count: events.length,
    invocations: Array.from(invocations.values(), (own) => ({
      invocation_id: String(own[0]?.["invocation_id"]),
      steps: stepsOf(own),
      events: own.map((event) => ({
        sequence: event["sequence"],
        event_id: event["event_id"],
        event_type: event["event_type"],
        timestamp: event["timestamp"],
      })),
    })),
  };
};
