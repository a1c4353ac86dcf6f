/**
 * What a failure on the way says to the caller of an exchange over HTTP: was it certainly not sent, is the answer of no
 * use, or does nobody know?
 */
import { Refusal } from "../../kernel/refusal.ts";
import type { Exchange } from "./exchange.ts";
import { describeFailure, isUnsent } from "./http-failure.ts";
import { NotStreamable } from "./http-status.ts";
import { messageTooLarge, notSent, unknownOutcome, unusableAnswer } from "./leg-refusals.ts";
import { UnreadableBody } from "./read-body.ts";

export const failedExchange = (exchange: Exchange, error: unknown, maxMessageBytes: number): Error => {
  if (error instanceof Refusal || error instanceof NotStreamable) return error;
  const said = describeFailure(error);
  if (error instanceof UnreadableBody) {
    const large = error.reason === "message_too_large";
    return large ? messageTooLarge(maxMessageBytes) : unusableAnswer(error.reason, said);
  }
  if (exchange.options.control) return new Error(isUnsent(error) ? `unreachable: ${said}` : said);
  if (isUnsent(error)) return notSent(`unreachable: ${said}`, "unreachable");
  if (!exchange.isOnWire) return notSent(said);
  if (exchange.phase === "ending") return unknownOutcome(exchange.why, "it was given up while it ran");
  return unknownOutcome("connection_lost", said);
};
