import fc from "fast-check";
import { expect, test } from "vitest";
import { ChannelLines } from "./channel-lines.ts";

const read = (chunks: readonly Buffer[], maxBytes = 1_000): { lines: string[]; tooLong: number } => {
  const seen = { lines: [] as string[], tooLong: 0 };
  const lines = new ChannelLines({
    maxBytes,
    onLine: (line) => seen.lines.push(line),
    onTooLong: () => void seen.tooLong++,
  });
  for (const chunk of chunks) lines.push(chunk);
  return seen;
};

test("lines arrive whole, wherever they are cut on their way", () => {
  const texts = fc.array(fc.string({ unit: "binary" }).map((text) => text.toWellFormed().replaceAll("\n", " ")));
  fc.assert(
    fc.property(texts, fc.integer({ min: 1, max: 7 }), (lines, step) => {
      const all = Buffer.from(lines.map((line) => `${line}\n`).join(""));
      const chunks = Array.from({ length: Math.ceil(all.length / step) }, (_, at) =>
        all.subarray(at * step, (at + 1) * step),
      );
      expect(read(chunks).lines).toEqual(lines);
    }),
  );
});

test("a line that is too long ends it, once, and nothing after it is read", () => {
  const chunks = ["ok\n", "x".repeat(8), "x".repeat(8), "x\nok\n", "y".repeat(30)].map((text) => Buffer.from(text));
  expect(read(chunks, 10)).toEqual({ lines: ["ok"], tooLong: 1 });
  expect(read([Buffer.from(`${"x".repeat(11)}\nok\n`)], 10)).toEqual({ lines: [], tooLong: 1 });
  expect(read([Buffer.from(`${"x".repeat(10)}\nok\n`)], 10)).toEqual({ lines: ["x".repeat(10), "ok"], tooLong: 0 });
});
