/** `*` is any run of characters, all else literal, anchored, case-sensitive; the empty glob matches nothing. Linear time. */
export const matchesGlob = (glob: string, name: string): boolean => {
  if (glob === "") return false;
  if (glob === "*") return true;
  const parts = glob.split("*");
  const first = parts[0] ?? "";
  const last = parts[parts.length - 1] ?? "";
  if (parts.length === 1) return glob === name;
  if (name.length < first.length + last.length || !name.startsWith(first) || !name.endsWith(last)) return false;
  let at = first.length;
  const end = name.length - last.length;
  for (const part of parts.slice(1, -1)) {
    const found = name.indexOf(part, at);
    if (found < 0 || found + part.length > end) return false;
    at = found + part.length;
  }
  return at <= end;
};
