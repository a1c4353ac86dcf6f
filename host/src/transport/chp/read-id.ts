/** An id of a caller's own making: 1 to 256 printable ASCII characters, because it enters lines that are hashed. */
import { bad } from "./chp-answers.ts";

const MAX_LENGTH = 256;

export const isId = (text: string): boolean => {
  if (text.length === 0 || text.length > MAX_LENGTH) return false;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c < 0x20 || c > 0x7e) return false;
  }
  return true;
};

/** Null when there is none. */
export const readId = (value: unknown, name: string): string | null => {
  if (value === undefined || value === null) return null;
  if (typeof value === "string" && isId(value)) return value;
  throw bad(`"${name}" is no string of 1 to ${MAX_LENGTH} printable ASCII characters.`, "Send one, or leave it out.");
};
