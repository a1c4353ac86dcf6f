/**
 * Reads a request's body up to a limit. A body above it is not kept: the rest is discarded as it comes, so that the caller
 * still hears why. A caller that leaves in the middle yields `gone`.
 */
import type { IncomingMessage } from "node:http";

export type Body = Buffer | "too-large" | "gone";

export const readBody = (req: IncomingMessage, maxBytes: number): Promise<Body> => {
  if (Number(req.headers["content-length"] ?? 0) > maxBytes) return Promise.resolve("too-large");
  return new Promise((resolve) => {
    let chunks: Buffer[] = [];
    let size = 0;
    req.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size <= maxBytes) {
        chunks.push(chunk);
        return;
      }
      chunks = [];
      resolve("too-large");
    });
    req.on("end", () => {
      const [only] = chunks;
      resolve(chunks.length === 1 && only ? only : Buffer.concat(chunks));
    });
    req.on("error", () => resolve("gone"));
    req.on("close", () => resolve("gone"));
  });
};
