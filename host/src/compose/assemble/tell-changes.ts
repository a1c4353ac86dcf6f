/** What a text that was generated again has otherwise than before. */
import { commonEnds } from "./common-ends.ts";
import { diffLines } from "./diff-lines.ts";

export interface Changes {
  readonly lines_added: number;
  readonly lines_removed: number;
  readonly lines_changed: number;
  readonly summary: string;
}

const countOnes = (flags: Uint8Array): number => {
  let count = 0;
  for (let at = 0; at < flags.length; at++) count += flags[at]!;
  return count;
};

export const tellChanges = (before: string, after: string): Changes => {
  const { removed, added } = diffLines(before, after);
  return changesOf(countOnes(removed), countOnes(added));
};

/** At once, whatever the texts are: all lines between what both begin and end with count as replaced. */
export const tellChangesRoughly = (before: string, after: string): Changes => {
  const ends = commonEnds(before, after);
  return changesOf(ends.before.lines, ends.after.lines);
};

const changesOf = (gone: number, come: number): Changes => {
  const changed = Math.min(gone, come);
  const isSame = gone + come === 0;
  return {
    lines_added: come,
    lines_removed: gone,
    lines_changed: changed,
    summary: isSame ? "No changes detected" : `Updated: +${come} -${gone} ~${changed} lines`,
  };
};
