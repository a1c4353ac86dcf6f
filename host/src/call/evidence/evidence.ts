/**
 * Stages 9 and 11: the intent is durable before anything is sent, the outcome before the answer leaves. The third
 * function records a refusal. Nothing here decides whether a call may run.
 */
import type { Answer, Ending } from "../../kernel/call.ts";
import { idsOf } from "../../kernel/call-ids.ts";
import { commit } from "../../kernel/commit.ts";
import type { Beside, Reply } from "../../kernel/evidence.ts";
import { randomSlice } from "../../kernel/make-id.ts";
import { Refusal } from "../../kernel/refusal.ts";
import { stable } from "../../kernel/stable.ts";
import {
  advance,
  type Approved,
  type Closed,
  type Opened,
  type Sent,
  type Stopped,
  type Surfaced,
  type Target,
} from "../../kernel/stages.ts";
import { capabilityOf } from "./describe-call.ts";
import { draftOf } from "./draft-of.ts";
import { ENDING_TYPES } from "./ending-types.ts";
import { endedPayload, outcomeOf } from "./event-payloads.ts";
import { OpenRounds } from "./open-rounds.ts";
import { recordIntent, type IntentLog } from "./record-intent.ts";
import { recordRefusal, refusalRecord } from "./record-refusal.ts";
import { stageOf } from "./stage-of.ts";

const READY_WAIT_MS = 2_000;

export interface EvidenceStages {
  readonly open: (call: Approved) => Promise<Opened>;
  readonly close: (call: Sent) => Promise<Closed>;
  readonly refuse: (call: Stopped, no: unknown) => Promise<Answer>;
  /** The request brings the answers that the server of an open call waits for. */
  readonly resumes: (call: Surfaced) => boolean;
  readonly recordAttempt: (call: Opened, reason: string) => Promise<void>;
  /** A question that was put to the caller, and its answer. */
  readonly recordRound: (call: Opened, round: RoundText) => Promise<void>;
}

interface RoundText {
  readonly method: string;
  readonly question: string;
  readonly answer: string;
}

export interface EvidenceOptions extends IntentLog {
  /** Whether the arguments and the result of a call of this tool are to be kept, if they are not confidential. */
  readonly retains: (flatName: string) => boolean;
  /** Throws where a call may not begin that came to go on with another: that one has ended since it was asked. */
  readonly mayBegin: (call: Approved) => unknown;
  readonly reportBug: (error: unknown) => void;
}

export const createEvidenceStages = (options: EvidenceOptions): EvidenceStages => {
  const { log, replies, retains, isConfidential, mayBegin, reportBug } = options;
  const rounds = new OpenRounds(log, reportBug);
  const isKept = ({ flatName, capability }: Target): boolean => retains(flatName) && !isConfidential(capability);
  return {
    resumes: (call) => rounds.isOpen(call),

    async open(call) {
      if (!log.writable()) throw evidenceUnavailable();
      // As it is now: the call may have waited long for a decision since stage 4 looked.
      if (call.target.provider.status().state !== "running") await awaitProvider(call);
      if (call.signal.aborted) throw cancelledBefore(call);
      if (call.continues !== null) {
        const earlier = await rounds.resume(call, call.continues);
        if (earlier !== null) return advance(call, { invocation: earlier });
        mayBegin(call);
      }
      const { invocationId, correlation, evidenceIds } = idsOf(call);
      const invocation = { id: invocationId, correlation, salt: randomSlice(16), evidenceIds, startedAt: Date.now() };
      await recordIntent(options, call, invocation);
      // In place, for speed: from now on there is an event of this correlation.
      correlation.fresh = false;
      return advance(call, { invocation });
    },

    async close(call) {
      if (call.ending.kind === "input") rounds.park(call, call.ending.wanted);
      const completedAt = Date.now();
      if (goesOn(call.ending)) return advance(call, { outcome: null, evidenceId: null, completedAt });
      const ending = strictEnding(call);
      const { outcome, error, denial } = outcomeOf(ending);
      const reply = replies.keep(advance(call, { completedAt }), {
        ending,
        outcome,
        evidenceId: null,
        tool: call.target.flatName,
      });
      try {
        const receipt = await log.append(
          {
            ...draftOf(call, ENDING_TYPES[outcome]),
            outcome,
            own: true,
            payload: endedPayload({
              uri: capabilityOf(call).uri,
              salt: call.invocation.salt,
              ending: call.ending,
              durationMs: call.durationMs,
            }),
            error,
            denial,
          },
          besideOf(reply, isKept(call.target) ? retainedPayload(call) : null),
        );
        call.invocation.evidenceIds.push(receipt.eventId);
        return advance(call, { ending, outcome, evidenceId: receipt.eventId, completedAt });
      } catch (no) {
        if (!(no instanceof Refusal)) throw no;
        const refused: Ending = { kind: "refusal", refusal: unrecorded(call), stage: 11 };
        return advance(call, { ending: refused, outcome: "indeterminate" as const, evidenceId: null, completedAt });
      }
    },

    async refuse(call, no) {
      const refusal = no instanceof Refusal ? no : bug(call, no, reportBug);
      const stage = stageOf(call);
      // One time for the answer and for what is kept of it.
      advance(call, { completedAt: Date.now() });
      const ending: Ending = { kind: "refusal", refusal, stage };
      const answer = { ending, outcome: refusal.row.outcome, evidenceId: null, tool: call.target?.flatName ?? null };
      const evidenceId = stage < 3 ? null : await recordRefusal(options, call, answer);
      return {
        ...answer,
        principal: call.principal ?? null,
        evidenceId,
        ...(evidenceId === null ? {} : { record: refusalRecord(call) }),
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

const besideOf = (reply: Reply | null, payload: string | null): Beside | undefined => {
  if (reply === null && payload === null) return undefined;
  return { ...(reply === null ? {} : { reply }), ...(payload === null ? {} : { payload }) };
};

/** With the salt of the commitments, so that both can be checked against it. */
const retainedPayload = ({ argsJson, ending, invocation }: Sent): string => {
  const said = ending.kind === "result" || ending.kind === "error" ? ending.json : null;
  return JSON.stringify({ arguments: argsJson, result: said, salt: invocation.salt.toString("hex") });
};

const goesOn = (ending: Ending): boolean =>
  ending.kind === "input" || (ending.kind === "result" && ending.open === true);

/** A result that its schema forbids is withheld where the caller or the overlay says so. */
const strictEnding = (call: Sent): Ending => {
  const { ending, target, envelope } = call;
  if (ending.kind !== "result" || ending.outputInvalid === undefined) return ending;
  if (!target.capability.strictOutput && envelope?.requireOutputSchema !== true) return ending;
  const refusal = new Refusal("output_invalid", {
    message: `${target.flatName} ran, but its result is not as its output schema says: ${ending.outputInvalid}.`,
    next: "Report it to the author of the bundle; the tool has run, so check its effect before calling again.",
    details: { path: ending.outputInvalid.split(" ", 1)[0] ?? "", reason: ending.outputInvalid },
  });
  return { kind: "refusal", refusal, stage: 11 };
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
