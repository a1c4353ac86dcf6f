/**
 * Calls that are made once: around the spine, between identity and everything that could refuse or run. The same key for the
 * same call gets the recorded answer, and while the first one runs it waits for it. Other calls pass without a stop.
 */
import type { Answer, HandleCall, RawCall } from "../../kernel/call.ts";
import type { HostState, KeptReply } from "../../kernel/evidence.ts";
import { isInScope } from "../../kernel/may-name.ts";
import type { Identify, Principal } from "../../kernel/principal.ts";
import { Refusal } from "../../kernel/refusal.ts";
import { advance, type Stopped } from "../../kernel/stages.ts";
import { verifiedPrincipal } from "../../kernel/verified-principal.ts";
import { isFinal } from "./is-final.ts";
import { isSameCall, keyOf } from "./once-binding.ts";
import type { Replies } from "./replies.ts";
import type { KeptAnswer } from "./reply-text.ts";
import { type RunningCall, RunningCalls } from "./running-calls.ts";

export interface OnceOptions {
  readonly identify: Identify;
  readonly state: Pick<HostState, "reply">;
  readonly replies: Pick<Replies, "read" | "isOf">;
  /** The spine. */
  readonly next: HandleCall;
  /** Records a "no" that the spine never saw. */
  readonly refuse: (call: Stopped, no: unknown) => Promise<Answer>;
}

interface Caller {
  readonly principal: Principal;
  readonly onceKey: string;
  /** Where the answer is kept. */
  readonly key: string;
}

export const createOnce = (options: OnceOptions): HandleCall => {
  const { identify, state, replies, next } = options;
  const running = new RunningCalls();

  const begin = (raw: RawCall, key: string): Promise<Answer> => {
    const pending = next(advance(raw, { once: { key, hash: null } }));
    running.add(key, raw, pending);
    const leave = (recorded: boolean): void => {
      // What began and has no end in the log is not begun again: a repeat hears the same, and after a restart what the log says.
      if (recorded || !hasBegun(raw)) running.delete(key);
    };
    pending.then(
      ({ evidenceId }) => leave(evidenceId !== null),
      () => leave(false),
    );
    return pending;
  };

  /** Null: it ended in nothing that stands, so it is to be asked again. */
  const join = async (raw: RawCall, principal: Principal, first: RunningCall): Promise<Answer | null> => {
    const answer = await untilAnswered(first.answer, raw.signal);
    if (answer === null) return givenUp(raw, principal);
    return isFinal(answer, hasBegun(first.call)) ? { ...answer, principal, replayed: true } : null;
  };

  const follow = async (raw: RawCall, caller: Caller, first: RunningCall): Promise<Answer> => {
    const { principal, onceKey } = caller;
    if (!isSameCall(first.call, raw)) return options.refuse(...conflict(raw, principal, onceKey));
    const answer = await join(raw, principal, first);
    if (answer === null) return once(raw, caller);
    return maySee(answer, principal) ? answer : options.refuse(...outOfScope(raw, principal));
  };

  const answerAgain = async (raw: RawCall, { principal, onceKey }: Caller, reply: KeptReply): Promise<Answer> => {
    const kept = replies.read(reply);
    if (kept === null) return unreadable(raw, principal);
    if (!replies.isOf(kept, raw)) return options.refuse(...conflict(raw, principal, onceKey));
    return maySee(kept, principal) ? repeat(kept, principal) : options.refuse(...outOfScope(raw, principal));
  };

  const once = (raw: RawCall, caller: Caller): Promise<Answer> => {
    const { key } = caller;
    const first = running.get(key);
    if (first !== null) return follow(raw, caller, first);
    const reply = state.reply(key);
    return reply === null ? begin(raw, key) : answerAgain(raw, caller, reply);
  };

  const run = (raw: RawCall, onceKey: string): Promise<Answer> => {
    const principal = verifiedPrincipal(identify, raw);
    if (principal === null) return next(raw);
    if (raw.verified?.principal !== principal) advance(raw, { verified: { principal, at: Date.now() } });
    return once(raw, { principal, onceKey, key: keyOf(principal, onceKey) });
  };

  return (raw) => {
    const onceKey = raw.envelope?.onceKey ?? null;
    return onceKey === null ? next(raw) : run(raw, onceKey);
  };
};

const hasBegun = ({ invocation }: Stopped): boolean => invocation !== undefined;

const repeat = ({ ending, outcome, tool, record }: KeptAnswer, principal: Principal): Answer => ({
  ending,
  outcome,
  tool,
  principal,
  evidenceId: record.evidenceIds.at(-1) ?? null,
  record,
  replayed: true,
});

/** Another key of the same principal may name less than the one that the call was made with. */
const maySee = ({ tool, record }: Pick<Answer, "tool" | "record">, { scopes }: Principal): boolean =>
  tool === null || isInScope(scopes, tool, record?.capabilityId);

/** Null: whoever waited has left. The call that it waited for goes on. */
const untilAnswered = (first: Promise<Answer>, signal: AbortSignal): Promise<Answer | null> =>
  new Promise((resolve, reject) => {
    if (signal.aborted) return resolve(null);
    const leave = (): void => resolve(null);
    signal.addEventListener("abort", leave, { once: true });
    void first.then(resolve, reject).finally(() => signal.removeEventListener("abort", leave));
  });

const unrecorded = (principal: Principal, refusal: Refusal): Answer => ({
  ending: { kind: "refusal", refusal, stage: 2 },
  outcome: refusal.row.outcome,
  principal,
  evidenceId: null,
  tool: null,
});

const givenUp = ({ name }: RawCall, principal: Principal): Answer =>
  unrecorded(
    principal,
    new Refusal("cancelled", {
      message: `The wait for the running call of ${name.slice(0, 128)} was given up; the call itself goes on.`,
      next: "Repeat it with the same id to hear how it ended.",
    }),
  );

const unreadable = ({ name }: RawCall, principal: Principal): Answer =>
  unrecorded(
    principal,
    new Refusal("outcome_unrecorded", {
      message: `${name.slice(0, 128)} was called under this id before, but the answer that was kept cannot be read.`,
      next: "Look the call up in the evidence, check its effect, then decide; a call with a new id runs it again.",
    }),
  );

/** An invocation of its own: its "no" must not pass for the end of the one whose id it came with, nor replace its answer. */
const apart = (raw: RawCall, principal: Principal): Stopped => {
  const { envelope } = raw;
  const causationId = envelope?.causationId ?? envelope?.invocationId ?? null;
  const own = envelope && { ...envelope, invocationId: null, onceKey: null, causationId };
  return { ...raw, ids: undefined, once: undefined, envelope: own, principal };
};

const conflict = (raw: RawCall, principal: Principal, onceKey: string): [call: Stopped, no: Refusal] => [
  apart(raw, principal),
  new Refusal("idempotency_conflict", {
    message: `The id ${JSON.stringify(onceKey.slice(0, 128))} was used for another call, or with other arguments.`,
    next: "Give this call an id of its own.",
    details: { id: onceKey.slice(0, 256) },
  }),
];

const outOfScope = (raw: RawCall, principal: Principal): [call: Stopped, no: Refusal] => [
  apart(raw, principal),
  new Refusal("not_visible", {
    message: `This key may not name ${JSON.stringify(raw.name.slice(0, 128))}.`,
    next: "Ask the operator for a key whose scope covers it.",
  }),
];
