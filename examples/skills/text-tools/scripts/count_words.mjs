import { readFile } from "node:fs/promises";
import { answer } from "../lib/call.mjs";

await answer(async ({ path }) => {
  const text = await readFile(path, "utf8");
  return {
    lines: text === "" ? 0 : text.replace(/\n$/, "").split("\n").length,
    words: text.match(/\S+/g)?.length ?? 0,
    characters: Array.from(text).length,
  };
});
