/** Says something at once, and what comes soon after it once more when a while is over: nobody makes others listen all the time. */
export interface Seldom {
  say(): void;
  end(): void;
}

export const atMostEach = (ms: number, say: () => void): Seldom => {
  let timer: NodeJS.Timeout | null = null;
  let isDue = false;
  const over = (): void => {
    timer = null;
    if (isDue) begin();
  };
  const begin = (): void => {
    isDue = false;
    timer = setTimeout(over, ms).unref();
    say();
  };
  return {
    say: () => {
      if (timer === null) begin();
      else isDue = true;
    },
    end: () => {
      if (timer !== null) clearTimeout(timer);
    },
  };
};
