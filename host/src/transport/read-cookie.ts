/** The value of a cookie; null: there is none of this name, or several, of which somebody else may have set one. */
export const readCookie = (header: string | undefined, name: string): string | null => {
  if (header === undefined || !header.includes(name)) return null;
  const start = `${name}=`;
  const found = header.split(/; */).filter((each) => each.startsWith(start));
  return found.length === 1 ? (found[0] ?? "").slice(start.length) : null;
};
