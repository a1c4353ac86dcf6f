/** The number that so large a share of some numbers does not exceed: 0.99 for p99. */
export const shareOf = (numbers: readonly number[], share: number): number =>
  numbers.toSorted((a, b) => a - b)[Math.min(numbers.length - 1, Math.floor(numbers.length * share))] ?? Number.NaN;
