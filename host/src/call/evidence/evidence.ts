/**
 * Stages 9 and 11: the intent is durable before anything is sent, the outcome before the answer leaves. The third
 * function records a refusal. Nothing here decides whether a call may run.
 */
import type { Answer, Ending } from "../../kernel/call.ts";
import { commit } from "../../kernel/commit.ts";
import type { EvidenceLog } from "../../kernel/evidence.ts";
import { makeId, randomSlice } from "../../kernel/make-id.ts";
import { Refusal } from "../../kernel/refusal.ts";
import { stable } from "../../kernel/stable.ts";
import { advance, type Approved, type Closed, type Opened, type Sent, type Stopped } from "../../kernel/stages.ts";
import { capabilityOf, correlationOf } from "./describe-call.ts";
import { draftOf } from "./draft-of.ts";
import { ENDING_TYPES } from "./ending-types.ts";
import { endedPayload, outcomeOf, startedPayload } from "./event-payloads.ts";
import { OpenRounds } from "./open-rounds.ts";
import { stageOf } from "./stage-of.ts";

const READY_WAIT_MS = 2_000;
const MAX_DETAILS = 16_384;

export interface EvidenceStages {
  readonly open: (call: Approved) => Promise<Opened>;
  readonly close: (call: Sent) => Promise<Closed>;
  readonly refuse: (call: Stopped, no: unknown) => Promise<Answer>;
  readonly recordAttempt: (call: Opened, reason: string) => Promise<void>;
  /** A question that was put to the caller, and its answer. */
  readonly recordRound: (call: Opened, round: RoundText) => Promise<void>;
}

interface RoundText {
  readonly method: string;
  readonly question: string;
  readonly answer: string;
}

export const createEvidenceStages = (log: EvidenceLog, reportBug: (error: unknown) => void): EvidenceStages => {
  const rounds = new OpenRounds(log, reportBug);
  return {
    async open(call) {
      if (!log.writable()) throw evidenceUnavailable();
      if (call.lifecycle.state !== "invokable") await awaitProvider(call);
      if (call.signal.aborted) throw cancelledBefore(call);
      if (call.continues !== null) {
        const earlier = await rounds.resume(call, call.continues);
        if (earlier !== null) return advance(call, { invocation: earlier });
      }
      const invocation = { id: makeId("inv_"), correlation: correlationOf(call), salt: randomSlice(16) };
      await log.append({
        ...draftOf(call, "execution_started", invocation),
        outcome: null,
        payload: startedPayload(call, invocation),
        error: "null",
        denial: "null",
      });
      // In place, for speed: from now on there is an event of this correlation.
      invocation.correlation.fresh = false;
      return advance(call, { invocation });
    },

    async close(call) {
      if (call.ending.kind === "input") rounds.park(call, call.ending.wanted);
      if (goesOn(call.ending)) return advance(call, { outcome: null, evidenceId: null });
      const { outcome, error } = outcomeOf(call.ending);
      try {
        const receipt = await log.append({
          ...draftOf(call, ENDING_TYPES[outcome]),
          outcome,
          payload: endedPayload({
            uri: capabilityOf(call).uri,
            salt: call.invocation.salt,
            ending: call.ending,
            durationMs: call.durationMs,
          }),
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

    async recordRound(call, { method, question, answer }) {
      const { salt } = call.invocation;
      await log.append({
        ...draftOf(call, "dev.bailiwick.round"),
        outcome: null,
        payload: stable({
          capability_uri: capabilityOf(call).uri,
          method,
          question_commitment: commit(salt, question),
          answer_commitment: commit(salt, answer),
        }),
        error: "null",
        denial: "null",
      });
    },
  };
};

const goesOn = (ending: Ending): boolean =>
  ending.kind === "input" || (ending.kind === "result" && ending.open === true);

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
      ...draftOf(call, ENDING_TYPES[outcome]),
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
