import { readFile } from "node:fs/promises";
import { answer } from "../lib/call.mjs";

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const HEADING = /^ {0,3}(#{1,6})(?=[ \t]|$)/;

// Marks at the end, after a blank, close the heading. By hand, since a pattern that backs up takes for ever on some lines.
const withoutClosing = (text) => {
  const trimmed = text.trim();
  let end = trimmed.length;
  while (trimmed[end - 1] === "#") end--;
  return end === 0 || /\s/.test(trimmed[end - 1]) ? trimmed.slice(0, end).trimEnd() : trimmed;
};

await answer(async ({ path, depth = 6 }) => {
  const headings = [];
  let fence = null;
  for (const [index, line] of (await readFile(path, "utf8")).split(/\r?\n/).entries()) {
    const marks = FENCE.exec(line)?.[1] ?? null;
    if (fence === null && marks !== null) fence = marks;
    else if (fence !== null && marks?.startsWith(fence)) fence = null;
    const heading = fence === null ? HEADING.exec(line) : null;
    const level = heading?.[1].length ?? Infinity;
    if (level <= depth) headings.push({ level, line: index + 1, text: withoutClosing(line.slice(heading[0].length)) });
  }
  return { headings };
});
