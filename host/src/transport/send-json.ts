/** Writes one whole JSON answer: headers and body in one write, with its length. */
import type { ServerResponse } from "node:http";

export interface JsonAnswer {
  readonly status: number;
  readonly text: string;
  readonly headers?: Readonly<Record<string, string>> | null;
}

export const sendJson = (res: ServerResponse, { status, text, headers }: JsonAnswer): void => {
  if (res.headersSent || res.destroyed) return;
  const bytes = Buffer.byteLength(text);
  const all = [
    "Content-Type",
    "application/json",
    "Content-Length",
    String(bytes),
    "X-Content-Type-Options",
    "nosniff",
  ];
  if (headers) for (const name of Object.keys(headers)) all.push(name, headers[name] ?? "");
  res.writeHead(status, all);
  // The same bytes, and quicker to write.
  res.end(text, bytes === text.length ? "latin1" : "utf8");
};
