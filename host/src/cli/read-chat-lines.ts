/** Messages from a pipe, one a line, blank lines left out. One that no host would take is an error before it is in memory. */
import { UsageError } from "./usage-error.ts";

const MOST_CHARS = 1024 * 1024;

export async function* readChatLines(stdin: NodeJS.ReadableStream): AsyncGenerator<string, void> {
  stdin.setEncoding("utf8");
  let rest = "";
  for await (const piece of stdin as AsyncIterable<string>) {
    const lines = `${rest}${piece}`.split("\n");
    rest = lines.pop() ?? "";
    if (rest.length > MOST_CHARS) {
      throw new UsageError("A line of standard input is too long for a message.", "Send one message a line.");
    }
    for (const line of lines) if (line.trim() !== "") yield line.trim();
  }
  if (rest.trim() !== "") yield rest.trim();
}
