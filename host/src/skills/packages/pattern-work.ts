/**
 * What the patterns of a schema cost to compile, in about the unit in which its parts are counted: one that repeats is
 * written out as often, so that a short one can be dear. The schema is one of a bounded shape.
 */
const COUNT = /\{([0-9]{1,4})(?:,([0-9]{0,4}))?\}/g;
/** More is no pattern to those who compile it. */
const MOST_REPEATS = 1_000;
const CHARS_OF_A_PART = 16;

export const patternWork = (schema: unknown): number => {
  if (typeof schema !== "object" || schema === null) return 0;
  const { pattern, patternProperties: keyed } = schema as Readonly<Record<string, unknown>>;
  let work = typeof pattern === "string" ? workOf(pattern) : 0;
  if (typeof keyed === "object" && keyed !== null) for (const key of Object.keys(keyed)) work += workOf(key);
  for (const child of Object.values(schema)) work += patternWork(child);
  return work;
};

const workOf = (pattern: string): number => {
  const counts = Array.from(pattern.matchAll(COUNT), ([, least, most]) => Math.max(1, Number(most || least)));
  // Only what is repeated as a group can be repeated within.
  const product = counts.reduce((total, count) => Math.min(MOST_REPEATS, total * count), 1);
  const repeats = pattern.includes("){") ? product : Math.max(1, ...counts.slice(0, MOST_REPEATS));
  return Math.ceil((pattern.length * Math.min(MOST_REPEATS, repeats)) / CHARS_OF_A_PART);
};
