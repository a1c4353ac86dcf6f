/** What a plain search looks for: the words of a query in lower case, without a final `s` where they are longer than three. */
export const plainTerms = (query: string): readonly string[] =>
  query
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((term) => term !== "")
    .map((term) => (term.length > 3 && term.endsWith("s") ? term.slice(0, -1) : term));
