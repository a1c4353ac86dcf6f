/** Events of a run's correlation as the archive gives them, but for hashes and what is the same in all. */
const RUN = "run_1";

type Json = Readonly<Record<string, unknown>>;

export const AGENT = {
  door: "agent",
  id: "agent://bailiwick",
  on_behalf_of: "person://owner",
  type: "agent",
  verified: true,
  workspace: "ws_default",
};
const PERSON = { door: "rest", id: "person://maria", type: "person", verified: true, workspace: "ws_default" };
const DELEGATE = { ...AGENT, id: "agent://researcher", chain: ["agent://bailiwick"] };

let sequence = 0;

const event = (type: string, invocation: string, more: Json = {}): Json => {
  sequence++;
  return {
    capability_id: "todo__add",
    capability_version: "1.0.0",
    correlation: { baggage: {}, causation_id: null, correlation_id: RUN, parent_correlation_id: null, trace_id: null },
    denial: null,
    error: null,
    event_id: `evt_c1_${sequence}`,
    event_type: type,
    invocation_id: invocation,
    outcome: null,
    payload: { capability_uri: "todo__add:1.0.0" },
    sequence,
    subject: AGENT,
    timestamp: `2026-11-16T10:00:${String(sequence % 60).padStart(2, "0")}.000Z`,
    ...more,
  };
};

const startedPayload = (run: string): Json => ({
  capability_uri: "todo__add:1.0.0",
  context: { run_id: run, conversation_id: "conv_abcdef" },
  definition: "sha256:0",
  input_bytes: 2,
  tool: "todo__add",
});

export const started = (invocation: string, more: Json = {}): Json =>
  event("execution_started", invocation, { payload: startedPayload(RUN), ...more });

export const completed = (invocation: string): Json =>
  event("execution_completed", invocation, { outcome: "success", payload: { duration_ms: 41 } });

export const failed = (invocation: string): Json =>
  event("execution_failed", invocation, {
    outcome: "failure",
    error: { code: "tool_error", details: {}, message: "The tool reported an error." },
    payload: { duration_ms: 7 },
  });

/** As a host writes it that starts again. */
export const lost = (invocation: string): Json =>
  event("execution_indeterminate", invocation, { outcome: "indeterminate", payload: { reason: "host_restarted" } });

export const denied = (invocation: string, kind: string, details: Json = {}): Json =>
  event("execution_denied", invocation, {
    outcome: "denied",
    denial: {
      code: "policy_blocked",
      details: { ...details, kind, stage: 6 },
      message: "A rule says no.",
      retryable: false,
    },
  });

export const asked = (invocation: string): Json =>
  event("approval_requested", invocation, { payload: { approval_id: "apr_1", rule: "host:ask", count: 1 } });

export const decided = (invocation: string, type: string): Json =>
  event(type, invocation, { subject: PERSON, payload: { decided_by: "person://maria" } });

export const ofDelegate = (invocation: string): readonly Json[] => [
  started(invocation, { subject: DELEGATE, payload: startedPayload("run_child") }),
  event("execution_completed", invocation, { outcome: "success", subject: DELEGATE }),
];

/** A file that was attached to the message. */
export const read = (invocation: string): readonly Json[] => [
  started(invocation, { payload: { ...startedPayload(RUN), uri: "files://fl_1" } }),
  completed(invocation),
];

export const runEvent = (type: "run_started" | "run_ended", run = RUN): Json =>
  event(`dev.bailiwick.${type}`, "host", { capability_id: "dev.bailiwick.host", payload: { run_id: run } });
