/** Columns of text, each as wide as its widest cell; the last is cut to the width that is left. */
import { cutText } from "./cut-text.ts";

export interface TableOptions {
  readonly width: number;
  /** What goes around a cell after it was measured. */
  readonly paint?: (cell: string, column: number, row: number) => string;
}

const GAP = "  ";
const SHORTEST_LAST = 20;

export const renderTable = (rows: readonly (readonly string[])[], { width, paint }: TableOptions): string[] => {
  const columns = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(0, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const before = widths.slice(0, -1).reduce((sum, each) => sum + each + GAP.length, 0);
  const lastWidth = Math.max(SHORTEST_LAST, width - before);
  return rows.map((row, index) =>
    row
      .map((cell, column) => {
        const last = column === columns - 1;
        const text = last ? cutText(cell, lastWidth) : cell;
        const padding = last ? "" : " ".repeat(Math.max(0, (widths[column] ?? 0) - text.length));
        return (paint ? paint(text, column, index) : text) + padding;
      })
      .join(GAP)
      .trimEnd(),
  );
};
