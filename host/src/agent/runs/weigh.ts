/** About how much memory a value takes, in bytes. Not recursive: what a server answers may be nested as deep as it likes. Pure. */
const EACH = 32;

export const weigh = (value: unknown): number => {
  let weight = 0;
  const rest: unknown[] = [value];
  while (rest.length > 0) {
    const next = rest.pop();
    weight += EACH;
    if (typeof next === "string") weight += next.length;
    if (typeof next !== "object" || next === null) continue;
    if (Array.isArray(next)) {
      for (const each of next) rest.push(each);
      continue;
    }
    for (const [key, each] of Object.entries(next)) {
      weight += key.length;
      rest.push(each);
    }
  }
  return weight;
};
