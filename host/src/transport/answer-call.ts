/** One call from params to the text of its JSON-RPC answer, the same for both eras but for the form of the answer. */
import type { McpReply, Operation } from "../kernel/call.ts";
import { createCallNotices, SILENT } from "./call-notices.ts";
import type { DoorParts } from "./door-parts.ts";
import type { Exchange } from "./exchange.ts";
import type { Message } from "./message.ts";
import { readCallParams, type CallParams } from "./read-call-params.ts";
import type { Reply } from "./reply.ts";
import { refusalText, replyText } from "./rpc-text.ts";
import type { JsonAnswer } from "./send-json.ts";

const MISSING_CAPABILITY = -32021;

export interface AskedCall {
  readonly exchange: Exchange;
  readonly message: Message;
  readonly operation: Operation;
  readonly reply: Reply;
  readonly call: AbortController;
  /** From which level up the caller hears logs; null: none. */
  readonly level: (params: CallParams) => string | null;
  readonly fit: (reply: McpReply, operation: Operation) => McpReply;
}

export type AnswerCall = (asked: AskedCall) => Promise<JsonAnswer>;

export const createAnswerCall =
  ({ deps, runCall }: DoorParts): AnswerCall =>
  async (asked) => {
    const { exchange, message, operation, reply, call } = asked;
    const id = message.idText;
    const params = readCallParams(message, operation);
    if ("refusal" in params) return { status: params.status, text: refusalText(id, params) };
    const { progressToken } = params;
    const silent = progressToken === null && asked.level(params) === null;
    const level = (): string | null => asked.level(params);
    const { provider, presented, principal, verified } = exchange;
    const answer = await runCall({
      door: "mcp",
      operation,
      provider,
      params,
      presented,
      principal,
      verified,
      call,
      listener: silent ? SILENT : createCallNotices(reply, { progressToken, level }),
    });
    const text = replyText(id, asked.fit(deps.shape.mcp(answer, operation), operation));
    const { ending } = answer;
    return { status: ending.kind === "error" && ending.code === MISSING_CAPABILITY ? 400 : 200, text };
  };
