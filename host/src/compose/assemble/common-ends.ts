/** The lines that two texts begin and end with alike, found without looking at any line by itself. Lines end at line feeds. */
export interface CommonEnds {
  /** Lines at the beginning. */
  readonly first: number;
  /** Lines at the end, none of which is one of the first. */
  readonly last: number;
  readonly before: Rest;
  readonly after: Rest;
}

/** What lies between. */
export interface Rest {
  /** Each line with a line feed at its end. */
  readonly text: string;
  readonly lines: number;
}

const FEED = 10;

export const commonEnds = (before: string, after: string): CommonEnds => {
  // With one at the end of the last line too, all lines are alike.
  const [a, b] = [`${before}\n`, `${after}\n`];
  const from = beginningOf(a, b);
  const length = endingOf(a, b, from);
  return {
    first: countFeeds(a, 0, from),
    last: countFeeds(a, a.length - length, a.length),
    before: restOf(a, from, a.length - length),
    after: restOf(b, from, b.length - length),
  };
};

/** How many characters the lines have that both begin with. */
const beginningOf = (a: string, b: string): number => {
  const most = Math.min(a.length, b.length);
  let at = 0;
  while (at < most && a.charCodeAt(at) === b.charCodeAt(at)) at++;
  return at === 0 ? 0 : a.lastIndexOf("\n", at - 1) + 1;
};

const endingOf = (a: string, b: string, from: number): number => {
  const most = Math.min(a.length, b.length) - from;
  let length = 0;
  while (length < most && a.charCodeAt(a.length - 1 - length) === b.charCodeAt(b.length - 1 - length)) length++;
  if (startsLine(a, length, from) && startsLine(b, length, from)) return length;
  return a.length - (a.indexOf("\n", a.length - length) + 1);
};

const startsLine = (text: string, length: number, from: number): boolean => {
  const at = text.length - length;
  return at === from || text.charCodeAt(at - 1) === FEED;
};

const restOf = (text: string, from: number, to: number): Rest => ({
  text: text.slice(from, to),
  lines: countFeeds(text, from, to),
});

const countFeeds = (text: string, from: number, to: number): number => {
  let count = 0;
  for (let at = from; at < to; at++) if (text.charCodeAt(at) === FEED) count++;
  return count;
};
