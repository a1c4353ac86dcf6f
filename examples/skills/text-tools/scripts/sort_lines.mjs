import { readFile, writeFile } from "node:fs/promises";
import { answer } from "../lib/call.mjs";

await answer(async ({ path, unique = false }) => {
  const text = await readFile(path, "utf8");
  const lines = text.replace(/\n$/, "").split("\n").toSorted();
  const kept = unique ? [...new Set(lines)] : lines;
  const sorted = `${kept.join("\n")}\n`;
  if (sorted !== text && text !== "") await writeFile(path, sorted);
  return { success: true, message: `${kept.length} lines`, changed: sorted !== text && text !== "" };
});
