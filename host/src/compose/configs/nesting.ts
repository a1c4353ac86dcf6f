/** How deep plain data may be nested before those who walk through it would run out of stack. */
export const MAX_DEPTH = 100;

export const NESTED_TOO_DEEP = `it is nested deeper than ${MAX_DEPTH} levels`;

export const isNestedTooDeep = (value: unknown, levels = MAX_DEPTH): boolean => {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  for (const member of Object.values(value)) if (isNestedTooDeep(member, levels - 1)) return true;
  return false;
};
