/**
 * The difference between two texts, line by line: `- ` went, `+ ` came, two blanks stayed. Long runs that stayed are left
 * out with their count. Pure.
 */
export interface DiffLine {
  readonly sign: "-" | "+" | " ";
  readonly text: string;
}

const AROUND = 2;
/** Above this many pairs of lines the whole is shown as replaced; nobody reads such a difference line by line. */
const MAX_CELLS = 4_000_000;

export const lineDiff = (before: string, after: string): readonly DiffLine[] => {
  const [old, young] = [before.split("\n"), after.split("\n")];
  const start = commonStart(old, young);
  const end = commonStart(old.slice(start).toReversed(), young.slice(start).toReversed());
  const same = (line: string): DiffLine => ({ sign: " ", text: line });
  return shorten([
    ...old.slice(0, start).map(same),
    ...changed(old.slice(start, old.length - end), young.slice(start, young.length - end)),
    ...old.slice(old.length - end).map(same),
  ]);
};

const commonStart = (a: readonly string[], b: readonly string[]): number => {
  const most = Math.min(a.length, b.length);
  let count = 0;
  while (count < most && a[count] === b[count]) count++;
  return count;
};

const changed = (old: readonly string[], young: readonly string[]): DiffLine[] => {
  if (old.length * young.length > MAX_CELLS) {
    return [
      ...old.map((text) => ({ sign: "-" as const, text })),
      ...young.map((text) => ({ sign: "+" as const, text })),
    ];
  }
  const lengths = commonLengths(old, young);
  const width = young.length + 1;
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < old.length || j < young.length) {
    const [text, other] = [old[i], young[j]];
    if (text !== undefined && text === other) {
      lines.push({ sign: " ", text });
      i++;
      j++;
    } else if (
      text !== undefined &&
      (other === undefined || lengths[(i + 1) * width + j]! >= lengths[i * width + j + 1]!)
    ) {
      lines.push({ sign: "-", text });
      i++;
    } else {
      lines.push({ sign: "+", text: other ?? "" });
      j++;
    }
  }
  return lines;
};

/** For each pair of places, how many lines the rests from there on have in common, in order. */
const commonLengths = (old: readonly string[], young: readonly string[]): Uint32Array => {
  const width = young.length + 1;
  const lengths = new Uint32Array((old.length + 1) * width);
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = young.length - 1; j >= 0; j--) {
      const below = (i + 1) * width + j;
      lengths[i * width + j] =
        old[i] === young[j] ? lengths[below + 1]! + 1 : Math.max(lengths[below]!, lengths[i * width + j + 1]!);
    }
  }
  return lengths;
};

const shorten = (lines: readonly DiffLine[]): readonly DiffLine[] => {
  const kept = lines.map((_, at) =>
    lines.slice(Math.max(0, at - AROUND), at + AROUND + 1).some(({ sign }) => sign !== " "),
  );
  const shown: DiffLine[] = [];
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]!;
    if (kept[at]) {
      shown.push(line);
      continue;
    }
    const from = at;
    while (at + 1 < lines.length && !kept[at + 1]) at++;
    const count = at - from + 1;
    shown.push(count === 1 ? line : { sign: " ", text: `… ${count} lines as before` });
  }
  return shown;
};
