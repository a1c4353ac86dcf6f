/** One message as a server-sent event. */
import { oneLine } from "./one-line.ts";

export const eventFrame = (json: string, id?: string): string =>
  `${id === undefined ? "" : `id: ${id}\n`}event: message\ndata: ${oneLine(json)}\n\n`;

export const EVENT_STREAM_HEADERS = {
  "Content-Type": "text/event-stream",
  "Cache-Control": "no-store",
  "X-Accel-Buffering": "no",
} as const;
