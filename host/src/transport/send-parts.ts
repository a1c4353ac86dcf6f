/**
 * Writes a long text as it is made, no faster than it is read. Nothing is written before the first part is there, so what
 * goes wrong until then can still be answered; after that the connection is cut, and nobody takes a half for the whole.
 */
import { once } from "node:events";
import type { ServerResponse } from "node:http";

export interface Parts {
  readonly parts: AsyncIterable<string>;
  readonly headers: Readonly<Record<string, string>>;
  /** Asked before each part; false ends it. */
  readonly goesOn: () => boolean;
}

export const sendParts = async (res: ServerResponse, { parts, headers, goesOn }: Parts): Promise<void> => {
  const left = new AbortController();
  const onClose = (): void => left.abort();
  res.once("close", onClose);
  try {
    for await (const part of parts) {
      if (!goesOn()) res.destroy();
      if (res.destroyed) return;
      if (!res.headersSent) res.writeHead(200, headers);
      if (!res.write(part)) await once(res, "drain", { signal: left.signal });
    }
    if (!res.headersSent) res.writeHead(200, headers);
    res.end();
  } catch (error) {
    if (left.signal.aborted) return;
    if (res.headersSent) res.destroy();
    throw error;
  } finally {
    res.removeListener("close", onClose);
  }
};
