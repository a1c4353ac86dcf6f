/** The first few of many in an order, sorted, without sorting the many. */
export const pickBest = <T>(items: ArrayLike<T>, limit: number, compare: (a: T, b: T) => number): readonly T[] => {
  if (limit >= items.length) return Array.from(items).toSorted(compare);
  const best: T[] = [];
  if (limit < 1) return best;
  for (let at = 0; at < items.length; at++) {
    const item = items[at]!;
    if (best.length >= limit) {
      if (compare(item, best[best.length - 1]!) >= 0) continue;
      best.pop();
    }
    best.splice(placeOf(item, best, compare), 0, item);
  }
  return best;
};

const placeOf = <T>(item: T, sorted: readonly T[], compare: (a: T, b: T) => number): number => {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compare(item, sorted[middle]!) < 0) high = middle;
    else low = middle + 1;
  }
  return low;
};
