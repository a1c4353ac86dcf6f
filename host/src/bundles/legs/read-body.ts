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

export const readBody = (body: Readable, maxBytes: number): Promise<string> =>
  new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let size = 0;
    body.on("data", (part: Buffer) => {
      size += part.length;
      parts.push(part);
      if (size <= maxBytes) return;
      parts.length = 0;
      reject(new UnreadableBody("message_too_large"));
      body.destroy();
    });
    body.once("error", reject);
    body.once("close", () => reject(new Error("the connection was closed in the middle of an answer")));
    body.once("end", () => {
      try {
        resolve(toText(parts, size));
      } catch (error) {
        reject(error);
      }
    });
  });

const toText = (parts: readonly Buffer[], size: number): string => {
  const [only] = parts;
  const whole = parts.length === 1 && only ? only : Buffer.concat(parts, size);
  if (!isUtf8(whole)) throw new UnreadableBody("not_utf8");
  return whole.toString("utf8");
};
