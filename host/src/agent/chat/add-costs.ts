/** US dollars; null where one of them is not known. Pure. */
export const addCosts = (spent: readonly { readonly costUsd: number | null }[]): number | null => {
  let total = 0;
  for (const { costUsd } of spent) {
    if (costUsd === null) return null;
    total += costUsd;
  }
  return total;
};
