/**
 * Damerau–Levenshtein distance, the unrestricted one: how many insertions, deletions, substitutions and swaps of
 * neighbours turn `a` into `b`. A metric, so suggestions do not depend on the order of comparison. Counts UTF-16 units.
 */
export const editDistance = (a: string, b: string): number => {
  const width = b.length + 2;
  const far = a.length + b.length;
  const table = new Uint32Array((a.length + 2) * width);
  const at = (row: number, column: number): number => table[row * width + column] ?? far;
  table[0] = far;
  for (let i = 0; i <= a.length; i++) {
    table[(i + 1) * width] = far;
    table[(i + 1) * width + 1] = i;
  }
  for (let j = 0; j <= b.length; j++) {
    table[j + 1] = far;
    table[width + j + 1] = j;
  }
  /** Row after the last one in which a character of `a` was seen. */
  const lastRow = new Map<number, number>();
  for (let i = 1; i <= a.length; i++) {
    const unit = a.charCodeAt(i - 1);
    let lastMatch = 0;
    for (let j = 1; j <= b.length; j++) {
      const row = lastRow.get(b.charCodeAt(j - 1)) ?? 0;
      const column = lastMatch;
      const same = unit === b.charCodeAt(j - 1);
      if (same) lastMatch = j;
      table[(i + 1) * width + j + 1] = Math.min(
        at(i, j) + (same ? 0 : 1),
        at(i + 1, j) + 1,
        at(i, j + 1) + 1,
        at(row, column) + (i - row - 1) + 1 + (j - column - 1),
      );
    }
    lastRow.set(unit, i);
  }
  return at(a.length + 1, b.length + 1);
};
