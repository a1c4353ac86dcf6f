/** Text of anybody as one line for people, without what could steer a terminal or turn the reading order. */
import { cutText } from "../prompt/one-line.ts";

/** Unlike a line of the prompt it keeps the joiners within emoji and words. */
const NOT_SHOWN = /[\p{Cc}\p{Cs}\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]/gu;

export const shownLine = (text: string, most: number): string => {
  // Far more than is kept, far less than somebody may send.
  const near = text.slice(0, most * 8);
  const line = near.replace(NOT_SHOWN, " ").replace(/\s+/g, " ").trim();
  return cutText(line, most).trimEnd();
};
