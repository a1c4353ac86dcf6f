/** Text as triggers, keywords and names are compared: normalised and lower-cased. Pure. */
const BLANK = /^[\s\p{Cc}\p{Cf}]*$/u;

export const foldText = (text: string): string => text.normalize("NFC").toLowerCase();

/** Nothing that could be seen: such a trigger would be part of everything. */
export const isBlank = (text: string): boolean => BLANK.test(text);
