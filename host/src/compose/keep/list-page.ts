/** The first of some rows in an order. What has nothing to be sorted by comes last; equal ones are by id. */
interface Paging<T> {
  readonly key: (row: T) => string | null;
  readonly latestFirst: boolean;
  readonly limit: number;
}

export const listPage = <T extends { readonly id: string }>(
  rows: readonly T[],
  { key, latestFirst, limit }: Paging<T>,
): readonly T[] => {
  const keyed = rows.map((row) => ({ row, by: key(row) }));
  keyed.sort((a, b) => {
    if (a.by === b.by) return compare(a.row.id, b.row.id);
    if (a.by === null || b.by === null) return a.by === null ? 1 : -1;
    return latestFirst ? compare(b.by, a.by) : compare(a.by, b.by);
  });
  return keyed.slice(0, limit).map(({ row }) => row);
};

const compare = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1);
