/** What a text that was generated again has otherwise than before. */
import { diffLines } from "./diff-lines.ts";

export interface Changes {
  readonly lines_added: number;
  readonly lines_removed: number;
  readonly lines_changed: number;
  readonly summary: string;
}

const countOnes = (flags: Uint8Array): number => flags.reduce((sum, flag) => sum + flag, 0);

export const tellChanges = (before: string, after: string): Changes => {
  const { removed, added } = diffLines(before, after);
  const [gone, come] = [countOnes(removed), countOnes(added)];
  const changed = Math.min(gone, come);
  const isSame = gone + come === 0;
  return {
    lines_added: come,
    lines_removed: gone,
    lines_changed: changed,
    summary: isSame ? "No changes detected" : `Updated: +${come} -${gone} ~${changed} lines`,
  };
};
