/**
 * Card numbers in text: 13 to 19 digits, perhaps in groups parted by a blank or a dash, that begin like one and have a valid
 * check digit. A number inside a longer word (a hash, an id) is none.
 */
const MIN = 13;
const MAX = 19;
const REDACTED = "[REDACTED]";

const isDigit = (code: number): boolean => code >= 48 && code <= 57;
const isWord = (code: number): boolean => isDigit(code) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122);

const passesLuhn = (digits: string): boolean => {
  let sum = 0;
  for (let i = 0; i < digits.length; i++) {
    const digit = digits.charCodeAt(digits.length - 1 - i) - 48;
    sum += i % 2 === 0 ? digit : digit > 4 ? digit * 2 - 9 : digit * 2;
  }
  return sum % 10 === 0;
};

/** The networks' ranges: 3 to 6, and of those with 2 only 2221 to 2720. */
const beginsLikeCard = (digits: string): boolean => {
  const first = digits.charCodeAt(0) - 48;
  if (first >= 3 && first <= 6) return true;
  const four = Number(digits.slice(0, 4));
  return four >= 2221 && four <= 2720;
};

/** Where the card number that begins here ends; -1: none does. */
const endOfCard = (text: string, start: number): number => {
  let digits = "";
  let end = -1;
  for (let at = start; digits.length < MAX && at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (!isDigit(code)) {
      const parts = (code === 32 || code === 45) && isDigit(text.charCodeAt(at + 1));
      if (parts) continue;
      break;
    }
    digits += text[at];
    const ends = digits.length >= MIN && !isWord(text.charCodeAt(at + 1));
    if (ends && beginsLikeCard(digits) && passesLuhn(digits)) end = at + 1;
  }
  return end;
};

export const redactCards = (text: string): string => {
  let out = "";
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    if (!isDigit(text.charCodeAt(at)) || isWord(text.charCodeAt(at - 1))) continue;
    const end = endOfCard(text, at);
    if (end === -1) continue;
    out += text.slice(from, at) + REDACTED;
    from = end;
    at = end - 1;
  }
  return from === 0 ? text : out + text.slice(from);
};
