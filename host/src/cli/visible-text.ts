/**
 * One line of others' text with everything in it shown that a program reads and a person does not see: control characters,
 * line breaks, what has no width or turns the direction, tags, selectors, signs of private use. Pure.
 */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}\u{FE00}-\u{FE0F}\u{E0100}-\u{E01EF}]/gu;

export const visibleText = (line: string): string =>
  line.replaceAll(UNSEEN, (sign) => `\\u{${sign.codePointAt(0)?.toString(16)}}`);
