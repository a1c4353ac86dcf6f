import { readFile } from "node:fs/promises";
import { answer } from "../lib/call.mjs";

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const HEADING = /^ {0,3}(#{1,6})(?:[ \t]+(.*?))?[ \t]*#*[ \t]*$/;

await answer(async ({ path, depth = 6 }) => {
  const headings = [];
  let fence = null;
  for (const [index, line] of (await readFile(path, "utf8")).split(/\r?\n/).entries()) {
    const marks = FENCE.exec(line)?.[1] ?? null;
    if (fence === null && marks !== null) fence = marks;
    else if (fence !== null && marks?.startsWith(fence)) fence = null;
    const heading = fence === null ? HEADING.exec(line) : null;
    const level = heading?.[1].length ?? Infinity;
    if (level <= depth) headings.push({ level, line: index + 1, text: heading[2] ?? "" });
  }
  return { headings };
});
