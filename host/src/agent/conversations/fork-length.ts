/** How many messages a fork takes over at most. */
import { badQuery } from "./conversation-refusals.ts";

/** Null: all. Throws the Refusal for what is no place. */
export const forkLength = (atMessage: number | null): number => {
  if (atMessage === null) return Number.POSITIVE_INFINITY;
  if (Number.isSafeInteger(atMessage) && atMessage >= 0) return atMessage;
  throw badQuery(
    `There is no message ${atMessage} to fork at.`,
    `Give "atMessage" as a whole number from 0 on, or leave it out.`,
  );
};
