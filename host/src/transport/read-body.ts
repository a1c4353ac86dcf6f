/**
 * Reads a request's body up to a limit. A body above it is not kept: the rest is discarded as it comes, so that the caller
 * still hears why. A caller that leaves in the middle yields `gone`.
 */
import type { IncomingMessage } from "node:http";

export type Body = Buffer | "too-large" | "gone";

/** `take` is called once, and at once when the last byte of a body of known length is there. */
export const readBody = (req: IncomingMessage, maxBytes: number, take: (body: Body) => void): void => {
  const length = Number(req.headers["content-length"] ?? -1);
  if (length > maxBytes) {
    take("too-large");
    return;
  }
  let chunks: Buffer[] = [];
  let size = 0;
  let done = false;
  const finish = (body: Body): void => {
    if (done) return;
    done = true;
    chunks = [];
    take(body);
  };
  req.on("data", (chunk: Buffer) => {
    if (done) return;
    size += chunk.length;
    if (size > maxBytes) finish("too-large");
    else if (size === length && chunks.length === 0) finish(chunk);
    else chunks.push(chunk);
  });
  req.on("end", () => finish(Buffer.concat(chunks)));
  const onGone = (): void => finish("gone");
  req.on("error", onGone);
  req.on("close", onGone);
};
