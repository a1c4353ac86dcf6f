/** Writes one whole JSON answer: headers and body in one write, with its length. */
import type { ServerResponse } from "node:http";

export interface JsonAnswer {
  readonly status: number;
  readonly text: string;
  readonly headers?: Readonly<Record<string, string>> | null;
}

export const sendJson = (res: ServerResponse, { status, text, headers }: JsonAnswer): void => {
  if (res.headersSent || res.destroyed) return;
  res.writeHead(status, {
    "Content-Type": "application/json",
    "Content-Length": Buffer.byteLength(text),
    "X-Content-Type-Options": "nosniff",
    ...headers,
  });
  res.end(text);
};
