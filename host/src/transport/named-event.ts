/** One server-sent event of a type of its own. */
import { oneLine } from "./one-line.ts";

export const namedEvent = (type: string, json: string, id?: number): string =>
  `${id === undefined ? "" : `id: ${id}\n`}event: ${type}\ndata: ${oneLine(json)}\n\n`;
