/** Writes one whole answer that is not JSON, or JSON of another media type. */
import type { ServerResponse } from "node:http";

export interface TextAnswer {
  readonly type: string;
  readonly text: string;
}

export const sendText = (res: ServerResponse, { type, text }: TextAnswer): void => {
  if (res.headersSent || res.destroyed) return;
  const length = String(Buffer.byteLength(text));
  res.writeHead(200, ["Content-Type", type, "Content-Length", length, "X-Content-Type-Options", "nosniff"]);
  res.end(text);
};
