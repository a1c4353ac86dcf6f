/**
 * Stages 9 and 11: the intent is durable before anything is sent, the outcome before the answer leaves. The third
 * function records a refusal. Nothing here decides whether a call may run.
 */
import { hash } from "node:crypto";
import type { Answer, Ending } from "../../kernel/call.ts";
import type { EvidenceDraft, EvidenceLog, Outcome } from "../../kernel/evidence.ts";
import { makeId, randomSlice } from "../../kernel/make-id.ts";
import { Refusal } from "../../kernel/refusal.ts";
import { stable, stableString } from "../../kernel/stable.ts";
import {
  advance,
  type Approved,
  type Closed,
  type Invocation,
  type Opened,
  type Sent,
  type Stopped,
} from "../../kernel/stages.ts";
import { capabilityOf, correlationOf, subjectOf } from "./describe-call.ts";
import { stageOf } from "./stage-of.ts";

const READY_WAIT_MS = 2_000;
const MAX_DETAILS = 16_384;

const TYPES: Record<Outcome, string> = {
  success: "execution_completed",
  failure: "execution_failed",
  denied: "execution_denied",
  skipped: "execution_skipped",
  indeterminate: "execution_indeterminate",
};

const scratch = Buffer.alloc(65_536);

/** Commitment to text that is not kept: without the salt nobody can guess it. */
const commit = (salt: Buffer, text: string): string => {
  if (salt.length + text.length * 3 > scratch.length) {
    return hash("sha256", Buffer.concat([salt, Buffer.from(text, "utf8")]));
  }
  salt.copy(scratch);
  return hash("sha256", scratch.subarray(0, salt.length + scratch.write(text, salt.length)));
};

const draftOf = (
  call: Stopped,
  type: string,
  invocation = call.invocation,
): Omit<EvidenceDraft, "outcome" | "payload" | "error" | "denial"> => {
  const capability = capabilityOf(call);
  return {
    type,
    invocationId: invocation?.id ?? makeId("inv_"),
    capabilityId: capability.id,
    capabilityVersion: call.target ? capability.version : null,
    correlation: invocation?.correlation ?? correlationOf(call),
    subject: call.principal ? subjectOf(call.principal, call.door) : "null",
  };
};

export interface EvidenceStages {
  readonly open: (call: Approved) => Promise<Opened>;
  readonly close: (call: Sent) => Promise<Closed>;
  readonly refuse: (call: Stopped, no: unknown) => Promise<Answer>;
  readonly recordAttempt: (call: Opened, reason: string) => Promise<void>;
}

export const createEvidenceStages = (log: EvidenceLog, reportBug: (error: unknown) => void): EvidenceStages => ({
  async open(call) {
    if (!log.writable()) throw evidenceUnavailable();
    if (call.lifecycle.state !== "invokable") await awaitProvider(call);
    if (call.signal.aborted) throw cancelledBefore(call);
    const invocation = { id: makeId("inv_"), correlation: correlationOf(call), salt: randomSlice(16) };
    await log.append({
      ...draftOf(call, "execution_started", invocation),
      outcome: null,
      payload: startedPayload(call, invocation),
      error: "null",
      denial: "null",
    });
    return advance(call, { invocation });
  },

  async close(call) {
    const { outcome, error } = outcomeOf(call.ending);
    try {
      const receipt = await log.append({
        ...draftOf(call, TYPES[outcome]),
        outcome,
        payload: endedPayload(call),
        error,
        denial: "null",
      });
      return advance(call, { outcome, evidenceId: receipt.eventId });
    } catch (no) {
      if (!(no instanceof Refusal)) throw no;
      const ending: Ending = { kind: "refusal", refusal: unrecorded(call), stage: 11 };
      return advance(call, { ending, outcome: "indeterminate" as const, evidenceId: null });
    }
  },

  async refuse(call, no) {
    const refusal = no instanceof Refusal ? no : bug(call, no, reportBug);
    const stage = stageOf(call);
    const evidenceId = stage < 3 ? null : await recordRefusal(log, call, { refusal, stage });
    return {
      ending: { kind: "refusal", refusal, stage },
      outcome: refusal.row.outcome,
      principal: call.principal ?? null,
      evidenceId,
      tool: call.target?.flatName ?? null,
    };
  },

  async recordAttempt(call, reason) {
    await log.append({
      ...draftOf(call, "dev.bailiwick.attempt_lost"),
      outcome: null,
      payload: stable({ capability_uri: capabilityOf(call).uri, attempt: 1, reason }),
      error: "null",
      denial: "null",
    });
  },
});

const startedPayload = (call: Approved, invocation: Invocation): string => {
  const { target, verdict, canonicalArgs } = call;
  return (
    `{"capability_uri": ${stableString(capabilityOf(call).uri)}, ` +
    `"definition": ${target.tool ? `"${target.tool.definition}"` : "null"}, ` +
    `"input_bytes": ${call.argsJson === null ? 0 : Buffer.byteLength(call.argsJson)}, ` +
    `"input_commitment": "${commit(invocation.salt, canonicalArgs)}", ` +
    `"policy_version": "${verdict.policyVersion}", "surface": "${target.surface}", ` +
    `"tool": ${stableString(target.flatName)}${target.tool ? "" : `, "uri": ${stableString(target.name.slice(0, 2048))}`}}`
  );
};

const endedPayload = (call: Sent): string => {
  const { ending, invocation, durationMs } = call;
  const uri = stableString(capabilityOf(call).uri);
  if (ending.kind === "refusal") return `{"capability_uri": ${uri}, "duration_ms": ${durationMs}}`;
  return (
    `{"capability_uri": ${uri}, "duration_ms": ${durationMs}, "output_bytes": ${Buffer.byteLength(ending.json)}, ` +
    `"output_commitment": "${commit(invocation.salt, ending.json)}"}`
  );
};

const outcomeOf = (ending: Ending): { outcome: Outcome; error: string } => {
  if (ending.kind === "refusal") {
    const { refusal } = ending;
    const code = refusal.details["error"] ?? refusal.row.chp;
    return {
      outcome: refusal.row.outcome === "indeterminate" ? "indeterminate" : "failure",
      error: stable({ code, message: refusal.message, details: {} }),
    };
  }
  if (ending.kind === "error") {
    return {
      outcome: "failure",
      error: `{"code": "host_error", "details": {"jsonrpc_code": ${ending.code}}, "message": "The server answered with an error."}`,
    };
  }
  return ending.isError
    ? { outcome: "failure", error: `{"code": "tool_error", "details": {}, "message": "The tool reported an error."}` }
    : { outcome: "success", error: "null" };
};

const recordRefusal = async (
  log: EvidenceLog,
  call: Stopped,
  { refusal, stage }: { refusal: Refusal; stage: number },
): Promise<string | null> => {
  const { outcome, chp } = refusal.row;
  const failed = outcome === "failure";
  const details = stable(refusal.details).length > MAX_DETAILS ? { clipped: true } : refusal.details;
  const message = refusal.message.slice(0, MAX_DETAILS);
  const reason = { code: chp, message, details: { ...details, kind: refusal.kind, stage } };
  try {
    const receipt = await log.append({
      ...draftOf(call, TYPES[outcome]),
      outcome,
      payload: stable({ capability_uri: capabilityOf(call).uri }),
      error: failed ? stable(reason) : "null",
      denial: failed ? "null" : stable({ ...reason, invariant_id: null, retryable: refusal.retryable }),
    });
    return receipt.eventId;
  } catch (no) {
    if (!(no instanceof Refusal)) throw no;
    return null;
  }
};

const awaitProvider = async (call: Approved): Promise<void> => {
  const { provider, flatName } = call.target;
  if (await provider.whenReady(READY_WAIT_MS, call.signal)) return;
  if (call.signal.aborted) throw cancelledBefore(call);
  const status = provider.status();
  throw new Refusal("not_ready", {
    message: `${flatName} is not ready: ${status.reason ?? `its provider is ${status.state}`}`,
    next:
      status.next ?? `Repeat the call in a moment; \`bailiwick doctor\` shows what ${provider.name} is waiting for.`,
    details: { state: status.state },
    retryAfterMs: status.retryAfterMs ?? READY_WAIT_MS,
  });
};

const cancelledBefore = (call: Approved): Refusal =>
  new Refusal("cancelled", {
    message: `The call of ${call.target.flatName} was cancelled before anything was sent.`,
    next: "Nothing happened; call again if it is still wanted.",
  });

const evidenceUnavailable = (): Refusal =>
  new Refusal("evidence_unavailable", {
    message: "The evidence log cannot be written, so no call is run.",
    next: "Run `bailiwick doctor`; free disk space or mend the work directory.",
  });

const unrecorded = (call: Sent): Refusal =>
  new Refusal("outcome_unrecorded", {
    message: `${call.target.flatName} ran, but its outcome could not be recorded, so it is not handed out.`,
    next: "Check its effect yourself, then decide; `bailiwick doctor` says what is wrong with the log.",
  });

/** After the intent was recorded nobody knows what a bug left undone: that is `indeterminate`, not a failure. */
const bug = (call: Stopped, error: unknown, reportBug: (error: unknown) => void): Refusal => {
  reportBug(error);
  return new Refusal(call.invocation ? "indeterminate" : "upstream_failed", {
    message: "The host failed on this call; the fault is the host's.",
    next: "See the host's log, and report it with the evidence id.",
    details: { reason: "host_error" },
  });
};
