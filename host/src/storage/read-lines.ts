/**
 * The lines of a file, one at a time, however long the file is, each a text of its own and no part of a longer one. A line of
 * more than 256 MiB ends the reading.
 */
import { closeSync, openSync, readSync } from "node:fs";

const CHUNK = 1 << 18;
const MAX_LINE = 256 << 20;
const NEWLINE = 10;

export function* readLines(path: string): Iterable<string> {
  const file = openSync(path, "r");
  try {
    const chunk = Buffer.allocUnsafe(CHUNK);
    let begun: Buffer[] = [];
    let held = 0;
    for (;;) {
      const read = chunk.subarray(0, readSync(file, chunk, 0, CHUNK, null));
      if (read.length === 0) break;
      let from = 0;
      for (let end = read.indexOf(NEWLINE); end !== -1; end = read.indexOf(NEWLINE, from)) {
        if (held === 0) yield read.toString("utf8", from, end);
        else yield Buffer.concat([...begun, read.subarray(from, end)]).toString();
        begun = [];
        held = 0;
        from = end + 1;
      }
      if (from === read.length) continue;
      begun.push(Buffer.from(read.subarray(from)));
      held += read.length - from;
      if (held > MAX_LINE) throw new Error(`${path} has a line of more than ${MAX_LINE} bytes`);
    }
    if (held > 0) yield Buffer.concat(begun).toString();
  } finally {
    closeSync(file);
  }
}
