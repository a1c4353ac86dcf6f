/**
 * The entries of `tools:` in a text that is no YAML as a whole, each with its own lines, so that a slip in one of them does
 * not cost the others. Only lists in block form are told apart: what belongs to an entry is indented deeper than its dash,
 * whatever is in it.
 */
export interface TextPiece {
  readonly text: string;
  /** Of its first line, from 1. */
  readonly line: number;
}

export interface SplitText {
  /** Each a list of one. */
  readonly entries: readonly TextPiece[];
  /** All else, its lines where they were. */
  readonly rest: string;
}

const TOOLS = /^(?:tools|"tools"|'tools')[ \t]*:[ \t]*(?:#.*)?$/;
const NOTHING = /^[ \t]*(?:#.*)?$/;
const DASH = /^( *)-(?:[ \t]|$)/;
const OTHER_DOCUMENT = /^(?:---|\.\.\.)(?:[ \t]|$)/;

/** Null: its entries cannot be told apart. */
export const splitToolsText = (text: string): SplitText | null => {
  const lines = text.split(/\r?\n/);
  const head = lines.findIndex((line) => TOOLS.test(line));
  if (head < 0 || lines.some((line, i) => OTHER_DOCUMENT.test(line) && i > 0)) return null;
  const first = lines.findIndex((line, i) => i > head && !NOTHING.test(line));
  const indent = DASH.exec(lines[first] ?? "")?.[1]?.length;
  if (indent === undefined) return null;
  const starts: number[] = [];
  let end = first;
  for (; end < lines.length; end++) {
    const line = lines[end] ?? "";
    if (DASH.exec(line)?.[1]?.length === indent) starts.push(end);
    else if (!NOTHING.test(line) && !isDeeper(line, indent)) break;
  }
  const entries = starts.map((start, i) => ({
    text: lines.slice(start, starts[i + 1] ?? end).join("\n"),
    line: start + 1,
  }));
  const rest = [...lines.slice(0, head), ...Array<string>(end - head).fill(""), ...lines.slice(end)].join("\n");
  return { entries, rest };
};

/** A tab is no indentation, and the fault of the entry that it stands in. */
const isDeeper = (line: string, indent: number): boolean =>
  line.startsWith("\t") || line.length - line.trimStart().length > indent;
