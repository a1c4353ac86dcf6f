/** Whether what was granted includes what is needed: the same permission, `*`, or `a:*` for all that begins with `a:`. */
export const covers = (granted: readonly string[], needed: string): boolean =>
  granted.some(
    (each) =>
      each === needed ||
      each === "*" ||
      // Of `a:*` the part before the star counts, so that `a:*` is not the permission `a`.
      (each.endsWith(":*") && needed.startsWith(each.slice(0, -1))),
  );
