/**
 * At boot at most this many bundles start at once. One that takes long gives its place away: it is waiting, not working, and a
 * slow bundle delays nobody.
 */
export interface StartGate {
  /** Resolves with the function that gives the place back. */
  enter(): Promise<() => void>;
}

export interface StartGateOptions {
  readonly places: number;
  readonly longestMs: number;
}

export const createStartGate = ({ places, longestMs }: StartGateOptions): StartGate => {
  let free = places;
  const queue: (() => void)[] = [];

  const leave = (): void => {
    const next = queue.shift();
    if (next === undefined) free++;
    else next();
  };
  const occupy = (): (() => void) => {
    let inside = true;
    const out = (): void => {
      if (!inside) return;
      inside = false;
      clearTimeout(timer);
      leave();
    };
    const timer = setTimeout(out, longestMs);
    return out;
  };

  return {
    async enter() {
      if (free > 0) free--;
      else await new Promise<void>((resolve) => queue.push(resolve));
      return occupy();
    },
  };
};
