/** Calls as OpenTelemetry spans (OTLP JSON), one per invocation: from its first event to the one that ends it. Pure. */
import { hash } from "node:crypto";
import type { Json } from "./archive-parts.ts";
import { approvalOf } from "./csv-text.ts";
import { InvocationKeys } from "./invocation-keys.ts";

interface Event extends Json {
  readonly event_type: string;
  readonly invocation_id: string;
  readonly capability_id: string;
  readonly timestamp: string;
  readonly event_id: string;
  readonly outcome: string | null;
  readonly correlation: Json;
  readonly denial: Json | null;
  readonly payload: Json;
}

interface Span {
  readonly first: Event;
  last: Event;
  tool: string;
  approval: unknown;
  rule: unknown;
}

const ENDS = /^execution_(completed|failed|denied|skipped|indeterminate)$/;
const HOST_ITSELF = "host";
/** Calls that never end must not fill the memory: beyond so many the oldest is told as it stands. */
const MAX_OPEN = 10_000;
const TRACE = /^[0-9a-f]{32}$/;
const STATUS: Readonly<Record<string, number>> = { success: 1, failure: 2, denied: 2, indeterminate: 2 };

const traceIdOf = ({ correlation }: Event): string => {
  const given = correlation["trace_id"];
  if (typeof given === "string" && TRACE.test(given) && !/^0+$/.test(given)) return given;
  return hash("sha256", String(correlation["correlation_id"])).slice(0, 32);
};

const spanIdOf = (invocationId: string): string => hash("sha256", invocationId).slice(0, 16);

const nanos = (timestamp: string): string => `${Date.parse(timestamp)}000000`;

const attributesOf = ({ tool, last, approval, rule }: Span): object[] =>
  Object.entries({
    "gen_ai.tool.name": tool,
    "bailiwick.outcome": last.outcome,
    "bailiwick.denial_code": last.denial?.["code"],
    "bailiwick.rule": rule,
    "bailiwick.approval_id": approval,
    "bailiwick.event_id": last.event_id,
  }).flatMap(([key, value]) => (typeof value === "string" ? [{ key, value: { stringValue: value } }] : []));

const textOf = (span: Span): string => {
  const { first, last, tool } = span;
  const causation = first.correlation["causation_id"];
  return JSON.stringify({
    traceId: traceIdOf(first),
    spanId: spanIdOf(first.invocation_id),
    ...(typeof causation === "string" ? { parentSpanId: spanIdOf(causation) } : {}),
    name: `execute_tool ${tool}`,
    kind: 1,
    startTimeUnixNano: nanos(first.timestamp),
    endTimeUnixNano: nanos(last.timestamp),
    attributes: attributesOf(span),
    status: { code: STATUS[last.outcome ?? ""] ?? 0 },
  });
};

const ruleOf = ({ denial, payload }: Event): unknown =>
  payload["rule"] ?? ((denial?.["details"] ?? {}) as Json)["matched_rule"];

const grow = (span: Span, event: Event): void => {
  span.last = event;
  if (typeof event.payload["tool"] === "string") span.tool = event.payload["tool"];
  span.approval ??= approvalOf(event);
  span.rule ??= ruleOf(event);
};

function* spansOf(lines: Iterable<string>): Iterable<Span> {
  const open = new Map<string, Span>();
  const keys = new InvocationKeys();
  for (const line of lines) {
    const event = JSON.parse(line) as Event;
    if (event.invocation_id === HOST_ITSELF) continue;
    const key = keys.of(event);
    const span = open.get(key) ?? { first: event, last: event, tool: event.capability_id, approval: null, rule: null };
    grow(span, event);
    if (ENDS.test(event.event_type)) {
      open.delete(key);
      yield span;
      continue;
    }
    open.set(key, span);
    const [oldest] = open;
    if (open.size <= MAX_OPEN || oldest === undefined) continue;
    open.delete(oldest[0]);
    yield oldest[1];
  }
  yield* open.values();
}

export function* otelText(lines: Iterable<string>, hostId: string): Iterable<string> {
  const resource = { attributes: [{ key: "service.name", value: { stringValue: hostId } }] };
  const scope = JSON.stringify({ name: "bailiwick" });
  yield `{"resourceSpans":[{"resource":${JSON.stringify(resource)},"scopeSpans":[{"scope":${scope},"spans":[`;
  let first = true;
  for (const span of spansOf(lines)) {
    yield (first ? "" : ",") + textOf(span);
    first = false;
  }
  yield "]}]}]}\n";
}
