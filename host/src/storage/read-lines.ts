/** The lines of a file, one at a time, however long the file is. A line of more than 16 MiB ends the reading. */
import { closeSync, openSync, readSync } from "node:fs";
import { StringDecoder } from "node:string_decoder";

const CHUNK = 1 << 16;
const MAX_LINE = 16 << 20;

export function* readLines(path: string): Iterable<string> {
  const file = openSync(path, "r");
  try {
    const decoder = new StringDecoder("utf8");
    const chunk = Buffer.allocUnsafe(CHUNK);
    let rest = "";
    for (;;) {
      const size = readSync(file, chunk, 0, CHUNK, null);
      if (size === 0) break;
      const lines = decoder.write(chunk.subarray(0, size)).split("\n");
      lines[0] = rest + (lines[0] ?? "");
      rest = lines.pop() ?? "";
      yield* lines;
      if (rest.length > MAX_LINE) throw new Error(`${path} has a line of more than ${MAX_LINE} characters`);
    }
    rest += decoder.end();
    if (rest !== "") yield rest;
  } finally {
    closeSync(file);
  }
}
