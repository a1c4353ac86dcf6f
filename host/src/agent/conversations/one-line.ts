/** Text of anybody as one line of at most so many characters, without what could steer a terminal or turn the reading order. */
const NOT_SHOWN = /[\p{Cc}\p{Cs}\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]/gu;

export const oneLine = (text: string, most: number): string => {
  // Far more than is kept, far less than somebody may send.
  const line = text
    .slice(0, most * 8)
    .replace(NOT_SHOWN, " ")
    .replace(/\s+/g, " ")
    .trim();
  return line.length <= most
    ? line
    : line
        .slice(0, most)
        .toWellFormed()
        .replace(/\ufffd$/, "")
        .trimEnd();
};
