/** One message as a server-sent event. Line breaks in JSON text stand only between tokens, so a blank says the same. */
export const eventFrame = (json: string): string => {
  const line = json.includes("\n") || json.includes("\r") ? json.replace(/[\r\n]/g, " ") : json;
  return `event: message\ndata: ${line}\n\n`;
};

export const EVENT_STREAM_HEADERS = {
  "Content-Type": "text/event-stream",
  "Cache-Control": "no-store",
  "X-Accel-Buffering": "no",
} as const;
