/** The texts of the messages in a log, for a search. What cannot be read holds nothing that is looked for. */
import { Refusal } from "../../kernel/refusal.ts";
import { eachLine, withLog } from "./log-file.ts";
import { readText } from "./message-line.ts";

/** How many bytes were read; null: there are more than `most`, and none was. */
export const visitTexts = async (
  path: string,
  take: (content: string) => void,
  most: number,
): Promise<number | null> => {
  try {
    const read = await withLog(path, "read", async (file, size) => {
      if (size > most) return Number.NaN;
      await eachLine(file, ({ text }) => {
        const content = text === null ? null : readText(text);
        if (content !== null) take(content);
      });
      return size;
    });
    return Number.isNaN(read) ? null : (read ?? 0);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return 0;
  }
};
