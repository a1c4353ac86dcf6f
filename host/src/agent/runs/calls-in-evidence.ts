/**
 * The calls that a run of the agent made, as evidence has them, in the order in which they began. Calls of its children are
 * not among them: they belong to the `nb__delegate` that asked for them. Arguments and results are not in evidence. Pure.
 */
import type { StoredCall } from "../../kernel/conversation.ts";
import type { Outcome } from "../../kernel/evidence.ts";
import { isObject } from "../../kernel/is-object.ts";
import { REFUSALS, type RefusalKind } from "../../kernel/refusals.ts";

type Json = Readonly<Record<string, unknown>>;

export interface RecordedCall {
  readonly call: StoredCall;
  /** Of all its events. */
  readonly eventIds: readonly string[];
}

const ENDINGS: Readonly<Record<string, Outcome>> = {
  execution_completed: "success",
  execution_failed: "failure",
  execution_denied: "denied",
  execution_skipped: "skipped",
  execution_indeterminate: "indeterminate",
};

/** What became of an approval, by the last event that is about it. */
const DECIDED: Readonly<Record<string, { readonly outcome: Outcome | null; readonly text: string }>> = {
  approval_granted: {
    outcome: null,
    text: "approval_granted: It was approved and has not been run. Make the same call again, with the same arguments, to run it.",
  },
  approval_denied: { outcome: "denied", text: "approval_denied: A person said no to this call. It was not run." },
  "dev.bailiwick.approval_expired": {
    outcome: null,
    text: "approval_expired: Nobody decided in time. It was not run. Make the same call again to ask anew.",
  },
  "dev.bailiwick.approval_cancelled": {
    outcome: null,
    text: "approval_expired: The approval was cancelled. It was not run. Make the same call again to ask anew.",
  },
};

const UNKNOWN =
  "indeterminate: It was begun, and nobody knows how it ended. Check its effect before it is called again.";
const LOST = "It was run, and the host stopped before its result was written down.";
/** What a model reads as the input of such a call was not its input. */
const NO_ARGUMENTS = "(Its arguments are not in this record.)";

/** `events` of one correlation, oldest first. */
export const callsInEvidence = (runId: string, events: readonly unknown[]): readonly RecordedCall[] => {
  const calls = new Map<string, Json[]>();
  for (const event of events.filter(isObject)) {
    const { invocation_id: id } = event;
    if (typeof id === "string") calls.set(id, [...(calls.get(id) ?? []), event]);
  }
  return [...calls].flatMap(([id, own]) => (isOwnCall(runId, own) ? [recordedCall(id, own)] : []));
};

/** A child says in its chain who is between it and the person. What is read, rather than called, has a URI. */
const isOwnCall = (runId: string, events: readonly Json[]): boolean => {
  const first = events.find(({ event_type: type }) => typeof type === "string" && (type === ASKED || isStep(type)));
  if (first === undefined) return false;
  const subject = memberOf(first, "subject");
  if (subject["door"] !== "agent" || subject["chain"] !== undefined) return false;
  const started = memberOf(events.find(isStarted) ?? {}, "payload");
  const run = memberOf(started, "context")["run_id"];
  return started["uri"] === undefined && (run === undefined || run === runId);
};

const ASKED = "approval_requested";
const isStep = (type: string): boolean => type === "execution_started" || Object.hasOwn(ENDINGS, type);
const isStarted = ({ event_type: type }: Json): boolean => type === "execution_started";
const isEnding = ({ event_type: type }: Json): boolean => Object.hasOwn(ENDINGS, String(type));

const recordedCall = (id: string, events: readonly Json[]): RecordedCall => {
  const started = events.find(isStarted);
  const ending = events.findLast(isEnding);
  const { outcome, code, output, by } = whatBecame(events, started, ending);
  const { duration_ms: ms } = memberOf(ending ?? {}, "payload");
  const call: StoredCall = {
    id,
    name: textOf(memberOf(started ?? {}, "payload")["tool"]) || textOf(events[0]?.["capability_id"]),
    input: {},
    output: `${output} ${NO_ARGUMENTS}`,
    ok: outcome === "success",
    ms: typeof ms === "number" ? ms : 0,
    outcome,
    ...(code === undefined ? {} : { code }),
    ...(typeof by?.["event_id"] === "string" ? { evidenceId: by["event_id"] } : {}),
  };
  return { call, eventIds: events.map(({ event_id: event }) => textOf(event)) };
};

interface Became {
  readonly outcome: Outcome | null;
  /** Of the refusal. */
  readonly code?: RefusalKind;
  readonly output: string;
  /** The event that says so. */
  readonly by: Json | undefined;
}

const whatBecame = (events: readonly Json[], started: Json | undefined, ending: Json | undefined): Became => {
  const waits = ending !== undefined && memberOf(memberOf(ending, "denial"), "details")["kind"] === "approval_pending";
  if (ending !== undefined && !waits) {
    const outcome = ENDINGS[textOf(ending["event_type"])] ?? null;
    return { outcome, ...codeIn(ending), output: endedText(ending, outcome), by: ending };
  }
  if (started !== undefined) return { outcome: "indeterminate", output: UNKNOWN, by: started };
  const decided = events.findLast(({ event_type: type }) => Object.hasOwn(DECIDED, String(type)));
  const what = DECIDED[textOf(decided?.["event_type"])];
  if (what !== undefined) return { outcome: what.outcome, output: what.text, by: decided };
  const asked = events.find(({ event_type: type }) => type === ASKED);
  const approval = textOf(memberOf(asked ?? ending ?? {}, "payload")["approval_id"]);
  const known = approval || textOf(memberOf(memberOf(ending ?? {}, "denial"), "details")["approval_id"]);
  const outcome = waits ? "denied" : null;
  return { outcome, code: "approval_pending", output: waitingText(known), by: ending ?? asked };
};

const codeIn = (ending: Json): { readonly code?: RefusalKind } => {
  const kind = textOf(memberOf(memberOf(ending, "denial"), "details")["kind"]);
  return Object.hasOwn(REFUSALS, kind) ? { code: kind as RefusalKind } : {};
};

const waitingText = (approval: string): string =>
  `approval_pending: It waits for the approval ${approval} and was not run. ` +
  "When a person has approved it, make the same call again, with the same arguments.";

const endedText = (ending: Json, outcome: Outcome | null): string => {
  if (outcome === "success") return LOST;
  const said = { ...memberOf(ending, "error"), ...memberOf(ending, "denial") };
  const code = textOf(memberOf(said, "details")["kind"]) || textOf(said["code"]);
  const reason = textOf(said["message"]);
  if (code === "" && reason === "") return outcome === "indeterminate" ? UNKNOWN : LOST;
  return `${code || String(outcome)}: ${reason}`;
};

const memberOf = (of: Json, name: string): Json => {
  const member = of[name];
  return isObject(member) ? member : {};
};

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");
