/** Starts tasks in their order, so many at once, and waits for all of them, also when one fails. */
const MOST_AT_ONCE = 16;

/** `release`: the task will be long and does no work, so another may start beside it. It may be called more than once. */
export type Start = (index: number, release: () => void) => Promise<void>;

/** Rejects with the first failure, when all have ended. */
export const startInOrder = (count: number, start: Start): Promise<void> =>
  new Promise((resolve, reject) => {
    let [next, running, left] = [0, 0, count];
    const failures: unknown[] = [];
    const end = (): void => {
      if (--left > 0) return;
      if (failures.length > 0) reject(failures[0]);
      else resolve();
    };
    const go = (): void => {
      while (running < MOST_AT_ONCE && next < count) {
        running++;
        const release = once(() => {
          running--;
          go();
        });
        void start(next++, release)
          .catch((error: unknown) => failures.push(error))
          .finally(release)
          .finally(end);
      }
    };
    if (count === 0) resolve();
    else go();
  });

const once = (act: () => void): (() => void) => {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    act();
  };
};
