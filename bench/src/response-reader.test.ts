import * as fc from "fast-check";
import { expect, test } from "vitest";
import { headerOf, ResponseReader } from "./response-reader.ts";

interface Seen {
  readonly status: number;
  readonly type: string | null;
  readonly body: string;
}

const readAll = (pieces: readonly Buffer[]): Seen[] => {
  const seen: Seen[] = [];
  let status = 0;
  let type: string | null = null;
  let parts: Buffer[] = [];
  const reader = new ResponseReader({
    head: (code, headers) => {
      status = code;
      type = headerOf(headers, "content-type");
      parts = [];
    },
    body: (part) => parts.push(Buffer.from(part)),
    end: () => seen.push({ status, type, body: Buffer.concat(parts).toString() }),
  });
  for (const piece of pieces) reader.push(piece);
  return seen;
};

const byLength = (body: string): string =>
  `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

const byChunks = (bodies: readonly string[]): string => {
  const chunks = bodies.map((body) => `${Buffer.byteLength(body).toString(16)}\r\n${body}\r\n`);
  return `HTTP/1.1 202 Accepted\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n${chunks.join("")}0\r\n\r\n`;
};

test("responses by length and by chunks are read the same however the bytes are cut", () => {
  const texts = fc.array(fc.string({ minLength: 1, unit: "grapheme" }), { maxLength: 4 });
  fc.assert(
    fc.property(
      fc.string({ unit: "grapheme" }),
      texts,
      fc.array(fc.nat(400), { maxLength: 12 }),
      (plain, chunks, cuts) => {
        const bytes = Buffer.from(byLength(plain) + byChunks(chunks) + byLength(""));
        const at = [0, ...cuts.filter((cut) => cut < bytes.length).toSorted((a, b) => a - b), bytes.length];
        const pieces = at.slice(1).map((end, index) => bytes.subarray(at[index], end));
        expect(readAll(pieces)).toEqual([
          { status: 200, type: "application/json", body: plain },
          { status: 202, type: "text/event-stream", body: chunks.join("") },
          { status: 200, type: "application/json", body: "" },
        ]);
      },
    ),
  );
});

test("a header is found by its whole name only", () => {
  const headers = "http/1.1 200 ok\r\nx-content-type: no\r\ncontent-type:  yes \r\nlast: z";
  expect(headerOf(headers, "content-type")).toBe("yes");
  expect(headerOf(headers, "last")).toBe("z");
  expect(headerOf(headers, "type")).toBeNull();
});
