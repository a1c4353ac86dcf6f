/**
 * A whole response body as text, up to a limit. Reading more than the limit is never tried.
 */
import { isUtf8 } from "node:buffer";
import type { Readable } from "node:stream";

/** The server sent something, and it is no text that could be a message. */
export class UnreadableBody extends Error {
  override readonly name = "UnreadableBody";
  readonly reason: "message_too_large" | "not_utf8";

  constructor(reason: "message_too_large" | "not_utf8") {
    super(reason === "not_utf8" ? "it is not UTF-8" : "it is too large");
    this.reason = reason;
  }
}

export const readBody = async (body: Readable, maxBytes: number): Promise<string> => {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of body as AsyncIterable<Buffer>) {
    size += part.length;
    // Leaving the loop destroys the stream.
    if (size > maxBytes) throw new UnreadableBody("message_too_large");
    parts.push(part);
  }
  const [only] = parts;
  const whole = parts.length === 1 && only ? only : Buffer.concat(parts, size);
  if (!isUtf8(whole)) throw new UnreadableBody("not_utf8");
  return whole.toString("utf8");
};
