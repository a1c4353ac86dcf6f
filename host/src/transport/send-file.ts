/** Writes the bytes of a file to be kept, never to be shown: its content is somebody's and runs on nobody's page. */
import type { ServerResponse } from "node:http";

export interface SentFile {
  readonly filename: string;
  readonly mimeType: string;
  readonly bytes: Buffer;
}

const PLAIN_TYPE = /^[\w.+-]+\/[\w.+-]+(?:; ?[\w.+-]+=[\w.+-]+)*$/;

export const sendFile = (res: ServerResponse, { filename, mimeType, bytes }: SentFile): void => {
  if (res.headersSent || res.destroyed) return;
  res.writeHead(200, {
    "Content-Type": PLAIN_TYPE.test(mimeType) ? mimeType : "application/octet-stream",
    "Content-Length": bytes.length,
    "Content-Disposition": dispositionOf(filename),
    "Content-Security-Policy": "default-src 'none'; sandbox",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "private, no-store",
  });
  res.end(bytes);
};

/** The name in plain characters for old readers, and whole for those who know RFC 8187. */
const dispositionOf = (filename: string): string => {
  const plain = filename.replace(/[^\w.+ -]/g, "_");
  const whole = encodeURIComponent(filename.toWellFormed()).replace(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${whole}`;
};
