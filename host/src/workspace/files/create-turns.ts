/** Lets so many pieces of work run at once; the others wait in the order they came. */
export type Turns = <T>(work: () => Promise<T>) => Promise<T>;

export const createTurns = (most: number): Turns => {
  const waiting: (() => void)[] = [];
  let free = most;
  return async (work) => {
    if (free > 0) free--;
    else await new Promise<void>((resume) => waiting.push(resume));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free++;
    }
  };
};
