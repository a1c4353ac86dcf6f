/** Hands one call to the call path and counts it while it runs. Every door calls through this. */
import type { Asker } from "../kernel/ask.ts";
import type { Answer, Continued, HandleCall, Operation, RawCall } from "../kernel/call.ts";
import type { Envelope } from "../kernel/envelope.ts";
import type { Door, Principal } from "../kernel/principal.ts";
import type { CallInput, CallListener } from "../kernel/provider.ts";
import type { Refusal } from "../kernel/refusal.ts";
import type { Caller } from "./authenticate.ts";
import type { CallCounts } from "./call-counts.ts";
import type { InFlight } from "./in-flight.ts";
import type { CallParams } from "./read-call-params.ts";
import type { SessionRoots } from "./session-roots.ts";

export interface CallOrder extends Caller {
  readonly door: Door;
  readonly operation: Operation;
  readonly provider: string | null;
  readonly params: CallParams;
  readonly call: AbortController;
  readonly listener: CallListener;
  readonly asker: Asker;
  readonly input: CallInput | null;
  readonly continues: Continued | null;
  /** Absent: nothing is said beside the call. */
  readonly envelope?: Envelope;
  /** For how long the caller waits for a person's decision; absent: not at all. */
  readonly approvalWaitMs?: number;
  /** What its client announces; absent: clients of this door announce nothing. */
  readonly roots?: SessionRoots;
}

export interface RunCall {
  (order: CallOrder): Promise<Answer>;
  /** Resolves with what `shape` makes of the answer: one promise less a call than awaiting the answer for it. */
  <T>(order: CallOrder, shape: (answer: Answer) => T): Promise<T>;
}

/** An answer that never reached the call path. */
export const refusedAnswer = (refusal: Refusal, principal: Principal | null): Answer => ({
  ending: { kind: "refusal", refusal, stage: 1 },
  outcome: "denied",
  principal,
  evidenceId: null,
  tool: null,
});

export const rawCall = (order: CallOrder): RawCall => ({
  door: order.door,
  operation: order.operation,
  name: order.params.name,
  provider: order.provider,
  args: order.params.args,
  argsJson: order.params.argsJson,
  extraParams: order.params.extraParams,
  meta: order.params.meta,
  providerHint: order.params.providerHint,
  traceparent: order.params.traceparent,
  presented: order.presented,
  verified: order.verified,
  surface: order.params.surface,
  signal: order.call.signal,
  listener: order.listener,
  asker: order.asker,
  input: order.input,
  continues: order.continues,
  envelope: order.envelope ?? null,
  approvalWaitMs: order.approvalWaitMs ?? 0,
  clientRoots: order.roots?.current ?? null,
  ...(order.roots && { announcing: order.roots }),
});

const asItIs = (answer: Answer): unknown => answer;

export const createRunCall = (handleCall: HandleCall, inFlight: InFlight, counts: CallCounts): RunCall => {
  const runCall = async (order: CallOrder, shape = asItIs): Promise<unknown> => {
    const { principal, call, roots } = order;
    const place = inFlight.begin(principal, call);
    if (typeof place !== "number") return shape(refusedAnswer(place, principal));
    try {
      if (roots?.pending === true) await roots.settled(call.signal);
      const answer = await handleCall(rawCall(order));
      counts.add(answer);
      return shape(answer);
    } finally {
      inFlight.end(principal, place);
    }
  };
  return runCall as RunCall;
};
