/** Classes of data, in the order of `policy.classifications`: from public to most secret. */

const CONFIDENTIAL = "confidential";

/** A label that nobody has ranked is above all others. */
export const rankOfClass = (label: string, order: readonly string[]): number => {
  const rank = order.indexOf(label);
  return rank < 0 ? order.length : rank;
};

/**
 * Whether arguments, results and unsalted digests of what has this class are kept from evidence, and shown to the cleared
 * alone. Where the order has no class of that name, every class is treated like it.
 */
export const isConfidential = (label: string | null, order: readonly string[]): boolean =>
  label !== null && rankOfClass(label, order) >= order.indexOf(CONFIDENTIAL);
