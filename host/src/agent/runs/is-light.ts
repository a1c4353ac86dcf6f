/**
 * Whether JSON text has few enough values to be parsed at once. What counts is not its length but how many there are: ten
 * megabytes of one string are read in no time, three million empty objects hold up the whole host. Pure.
 */
export const MOST_VALUES = 100_000;

const [QUOTE, BACKSLASH, COMMA, OPEN_ARRAY, OPEN_OBJECT] = [34, 92, 44, 91, 123];

/** `json` is text that JSON.parse takes. */
export const isLight = (json: string): boolean => {
  if (json.length <= MOST_VALUES) return true;
  let values = 0;
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) at = endOfString(json, at);
    else if ((code === COMMA || code === OPEN_ARRAY || code === OPEN_OBJECT) && ++values > MOST_VALUES) return false;
  }
  return true;
};

/** Where the string that opens at `at` closes. */
const endOfString = (json: string, at: number): number => {
  for (let end = json.indexOf('"', at + 1); end !== -1; end = json.indexOf('"', end + 1)) {
    let slashes = 0;
    while (json.charCodeAt(end - 1 - slashes) === BACKSLASH) slashes++;
    if (slashes % 2 === 0) return end;
  }
  return json.length;
};
