/**
 * Whose question is it that came over a shared pipe? Nothing on the wire says so. A question is never shown to somebody
 * who might not be its caller, so where several callers have calls open, parked ones too, there is no answer: a server may
 * ask more for a call that is parked already, or for one that was given up long ago.
 */
import type { Exchange } from "./exchange.ts";
import type { Unanswered } from "./unanswered.ts";

/** The call; null: there is none; `several`: it may be one of several callers'. */
export const whoseAsk = (calls: readonly Exchange[], unanswered: Unanswered | null): Exchange | null | "several" => {
  const running = calls.filter((call) => !isParked(call));
  const [first, ...rest] = running.length > 0 ? running : calls;
  if (!first) return null;
  const owner = ownerOf(first);
  if (calls.some((call) => ownerOf(call) !== owner) || unanswered?.isOnlyOf(owner) === false) return "several";
  return rest.reduce((best, call) => (isLikelier(call, best) ? call : best), first);
};

/** Waits for its caller's next request, or for its turn, so that the server waits too. */
export const isParked = ({ asking, options }: Exchange): boolean =>
  asking !== null && asking.out.size > 0 && (asking.turn !== null || options.call?.asker.held() === true);

const ownerOf = ({ options }: Exchange): string | undefined => options.call?.owner;

/** The newest of those that are still wanted. */
const isLikelier = (call: Exchange, than: Exchange): boolean =>
  call.phase === than.phase ? call.id > than.id : call.phase === "sent";
