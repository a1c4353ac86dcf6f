/** One call from params to the text of its JSON-RPC answer, the same for both eras but for the form of the answer. */
import type { Asker } from "../kernel/ask.ts";
import type { McpReply, Operation } from "../kernel/call.ts";
import type { CallListener } from "../kernel/provider.ts";
import { createCallNotices, SILENT } from "./call-notices.ts";
import type { DoorParts } from "./door-parts.ts";
import type { Exchange } from "./exchange.ts";
import type { Message } from "./message.ts";
import type { NoticeSink } from "./notice-sink.ts";
import { readCallParams, type CallParams } from "./read-call-params.ts";
import { refusalText, replyText } from "./rpc-text.ts";
import type { CallOrder } from "./run-call.ts";
import type { JsonAnswer } from "./send-json.ts";
import type { SessionRoots } from "./session-roots.ts";

const MISSING_CAPABILITY = -32021;

export interface AskedCall {
  readonly exchange: Exchange;
  readonly message: Message;
  readonly operation: Operation;
  readonly reply: NoticeSink;
  readonly call: AbortController;
  readonly asker: Asker;
  readonly roots: SessionRoots;
  /** From which level up the caller hears logs; null: none. */
  readonly level: (params: CallParams) => string | null;
  readonly fit: (reply: McpReply, operation: Operation) => McpReply;
}

export type AnswerCall = (asked: AskedCall) => Promise<JsonAnswer> | JsonAnswer;

export const createAnswerCall =
  ({ deps, runCall }: DoorParts): AnswerCall =>
  (asked) => {
    const { exchange, message, operation } = asked;
    const params = readCallParams(message, operation);
    if ("refusal" in params) return { status: params.status, text: refusalText(message.idText, params) };
    const { provider, presented, principal, verified } = exchange;
    const order: CallOrder = {
      door: "mcp",
      operation,
      provider,
      params,
      presented,
      principal,
      verified,
      call: asked.call,
      listener: listenerFor(asked, params),
      asker: asked.asker,
      input: null,
      continues: null,
      approvalWaitMs: deps.limits.approvalWaitSeconds * 1000,
      roots: asked.roots,
    };
    return runCall(order, (answer) => {
      const text = replyText(message.idText, asked.fit(deps.shape.mcp(answer, operation), operation));
      const { ending } = answer;
      return { status: ending.kind === "error" && ending.code === MISSING_CAPABILITY ? 400 : 200, text };
    });
  };

const listenerFor = ({ reply, level }: AskedCall, params: CallParams): CallListener => {
  const { progressToken } = params;
  if (progressToken === null && level(params) === null) return SILENT;
  return createCallNotices(reply, { progressToken, level: () => level(params) });
};
