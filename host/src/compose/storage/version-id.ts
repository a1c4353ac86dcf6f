/** Ids of versions: the time, and a number where the time is taken. They order versions of one content. */
const ID = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)(?:-([1-9]\d{0,8}))?$/;

const partsOf = (id: string): readonly [string, number] => {
  const [, time = "", number = "1"] = ID.exec(id) ?? [];
  return [time, Number(number)];
};

export const isVersionId = (id: string): boolean => ID.test(id);

export const compareVersionIds = (a: string, b: string): number => {
  const [timeA, numberA] = partsOf(a);
  const [timeB, numberB] = partsOf(b);
  return timeA === timeB ? numberA - numberB : timeA < timeB ? -1 : 1;
};

/**
 * The next one. It comes after `last` even where the clock went back, so that what was written last is the latest;
 * `last` is the highest that was ever used, or null.
 */
export const nextVersionId = (timestamp: string, last: string | null): string => {
  if (last === null) return timestamp;
  const [time, number] = partsOf(last);
  return timestamp > time ? timestamp : `${time}-${number + 1}`;
};

/** As a name of files. */
export const versionFileName = (id: string): string => id.replaceAll(/[:.]/g, "-");
