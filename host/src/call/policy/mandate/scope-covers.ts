/** What a mandate is for: exact capability ids, or the beginning of one and `*`. */
const entryCovers = (entry: string, wanted: string): boolean => {
  if (!entry.endsWith("*")) return entry === wanted;
  const prefix = wanted.endsWith("*") ? wanted.slice(0, -1) : wanted;
  return prefix.startsWith(entry.slice(0, -1));
};

/** `wanted` is a capability id, or an entry of a narrower scope. */
export const scopeCovers = (scope: readonly string[], wanted: string): boolean =>
  scope.some((entry) => entryCovers(entry, wanted));
