/**
 * Reads single members out of a canonical event line without parsing all of it. Quotes inside strings are escaped, so a
 * quoted key is found only where a key stands; only members that no nested object can stand before are read this way.
 */
const OPEN = '"correlation": {"baggage": {}, "causation_id": ';
const KEY = '"correlation_id": "';
const HASH = '"content_hash": "';

/** The correlation id of a line this host wrote. */
export const correlationOfLine = (line: string): string => {
  const start = line.indexOf(KEY, line.indexOf(OPEN)) + KEY.length;
  let end = line.indexOf('"', start);
  while (isEscaped(line, end)) end = line.indexOf('"', end + 1);
  return JSON.parse(line.slice(start - 1, end + 1)) as string;
};

export const contentHashOfLine = (line: string): string => {
  const start = line.indexOf(HASH) + HASH.length;
  return line.slice(start, start + 64);
};

/** When (ms) a line was written; 0 for none. Its time is the last member, of one length. */
export const timeOfLine = (line: string | undefined): number =>
  line === undefined || line === "" ? 0 : Date.parse(line.slice(-26, -2));

const isEscaped = (line: string, at: number): boolean => {
  let slashes = 0;
  while (line.charCodeAt(at - 1 - slashes) === 92) slashes++;
  return slashes % 2 === 1;
};
