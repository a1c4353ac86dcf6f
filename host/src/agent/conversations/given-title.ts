/** A title that somebody gives. */
import { badQuery } from "./conversation-refusals.ts";
import { shownLine } from "./shown-line.ts";
import { MAX_TITLE } from "./summarise.ts";

/** Throws the Refusal when nothing of it can be shown. */
export const givenTitle = (text: string): string => {
  const title = shownLine(text, MAX_TITLE);
  if (title === "") throw badQuery("A title must have a letter that can be seen.", `Give another "title".`);
  return title;
};
