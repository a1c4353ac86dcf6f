/**
 * `POST /invoke`: one call through the one call path. Whatever was processed is 200, however it ended. A caller that leaves
 * cancels its call, unless the call streams under the caller's own id: then it can come back for the rest.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { NOBODY } from "../../kernel/ask.ts";
import type { Answer } from "../../kernel/call.ts";
import { Refusal } from "../../kernel/refusal.ts";
import type { Caller } from "../authenticate.ts";
import { SILENT } from "../call-notices.ts";
import { callerLeft } from "../caller-left.ts";
import type { CallOrder } from "../run-call.ts";
import { sendJson, type JsonAnswer } from "../send-json.ts";
import { bad, refused } from "./chp-answers.ts";
import type { ChpParts } from "./chp-parts.ts";
import { ChunkStream } from "./chunk-stream.ts";
import type { ChpBody } from "./read-chp-body.ts";
import { readEnvelope, type EnvelopedCall } from "./read-envelope.ts";

export interface Invocation {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly caller: Caller;
  readonly body: ChpBody;
}

export type Invoke = (invocation: Invocation) => Promise<void>;

export const createInvoke = ({ deps, runCall, heartbeat }: ChpParts): Invoke => {
  const answerOf = (answer: Answer): JsonAnswer => {
    const { ending, outcome, record } = answer;
    if (ending.kind !== "refusal" || (record !== undefined && ending.refusal.kind !== "evidence_unavailable")) {
      return { status: 200, text: deps.shape.chp(answer) };
    }
    // From stage 3 on a "no" is a record too: without one it is not given out as if there were.
    const isLost = ending.stage >= 3 && outcome !== "indeterminate" && ending.refusal.kind !== "evidence_unavailable";
    return refused(isLost ? unrecorded(ending.refusal) : ending.refusal);
  };

  const stream = (invocation: Invocation, call: EnvelopedCall): Promise<void> => {
    const { req, res } = invocation;
    const from = resumeAt(req.headers["last-event-id"]);
    const chunks = new ChunkStream(res, heartbeat);
    const order = orderOf(invocation, call, call.envelope.onceKey === null);
    const listener = { ...SILENT, chunk: chunks.chunk.bind(chunks) };
    return runCall({ ...order, listener }, (answer) => {
      if (!chunks.end(answer.ending, from, () => answerOf(answer).text)) sendJson(res, answerOf(answer));
    });
  };

  return (invocation) => {
    const call = readEnvelope(invocation.body, deps.info.id);
    if (call.envelope.mode === "stream") return stream(invocation, call);
    return runCall(orderOf(invocation, call, true), (answer) => sendJson(invocation.res, answerOf(answer)));
  };
};

export const orderOf = ({ res, caller }: Invocation, { params, envelope }: EnvelopedCall, tied: boolean): CallOrder => {
  const call = new AbortController();
  if (tied) {
    res.once("close", () => {
      if (!res.writableFinished) call.abort(callerLeft());
    });
  }
  return {
    door: "chp",
    operation: "call",
    provider: null,
    params,
    presented: caller.presented,
    principal: caller.principal,
    verified: caller.verified,
    call,
    listener: SILENT,
    asker: NOBODY,
    input: null,
    continues: null,
    envelope,
  };
};

const unrecorded = ({ message }: Refusal): Refusal =>
  new Refusal("evidence_unavailable", {
    message: `The call was refused, and the evidence log cannot be written to say so. ${message}`,
    next: "Run `bailiwick doctor`; free disk space or mend the work directory.",
  });

/** The piece after the last one that the caller has. */
const resumeAt = (header: string | string[] | undefined): number => {
  if (header === undefined) return 0;
  const text = String(header);
  if (/^\d{1,9}$/.test(text)) return Number(text) + 1;
  throw bad("Last-Event-ID is no id of a stream from here.", "Send the last id that you have, or leave it out.");
};
