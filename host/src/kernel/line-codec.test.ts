import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LineCodec } from "./line-codec.ts";

type Heard = ["line" | "broken", string] | ["tooLarge", string, string];

const hear = (chunks: readonly Buffer[], maxBytes = 1_000_000): Heard[] => {
  const heard: Heard[] = [];
  const codec = new LineCodec(maxBytes, {
    line: (text) => heard.push(["line", text]),
    broken: (text) => heard.push(["broken", text]),
    tooLarge: (head, tail) => heard.push(["tooLarge", head, tail]),
  });
  for (const chunk of chunks) codec.push(chunk);
  return heard;
};

const cut = (bytes: Buffer, sizes: readonly number[]): Buffer[] => {
  const chunks: Buffer[] = [];
  let at = 0;
  for (const size of sizes) {
    chunks.push(bytes.subarray(at, at + size));
    at += size;
  }
  return [...chunks, bytes.subarray(at)];
};

describe("LineCodec", () => {
  it("gives the same lines however the bytes are cut into chunks", () => {
    const text = fc.string({ unit: "binary" }).map((line) => line.replaceAll(/[\r\n]/g, ""));
    const sizes = fc.array(fc.integer({ min: 0, max: 7 }));
    fc.assert(
      fc.property(fc.array(text), sizes, (lines, cuts) => {
        const written = lines.map((line) => line.toWellFormed());
        const bytes = Buffer.from(written.map((line) => `${line}\n`).join(""));
        const expected = written.filter((line) => line !== "").map((line) => ["line", line]);
        expect(hear(cut(bytes, cuts))).toEqual(expected);
      }),
    );
  });

  it("drops the carriage return of a line end and keeps an unfinished line back", () => {
    expect(hear([Buffer.from("a\r"), Buffer.from("\nb\r\n\r\nc")])).toEqual([
      ["line", "a"],
      ["line", "b"],
    ]);
  });

  it("reports a line that is not UTF-8, and passes a replacement character that was sent", () => {
    expect(hear([Buffer.from([0x61, 0xff, 0x0a]), Buffer.from("\uFFFD\n")])).toEqual([
      ["broken", "a\uFFFD"],
      ["line", "\uFFFD"],
    ]);
  });

  it("skips a line above the limit, keeps its head and tail, and reads on", () => {
    const long = `HEAD${"x".repeat(5_000)}TAIL`;
    const bytes = Buffer.from(`${long}\nnext\n`);
    for (const sizes of [[], [10, 1_000, 20], [5_008], Array<number>(200).fill(25)]) {
      const [first, second, ...rest] = hear(cut(bytes, sizes), 100);
      expect(first?.[0]).toBe("tooLarge");
      expect(first?.[1]).toMatch(/^HEADx*$/);
      expect(first?.[2]).toMatch(/^x*TAIL$/);
      expect(first?.[2]?.length).toBeLessThanOrEqual(1_024);
      expect(second).toEqual(["line", "next"]);
      expect(rest).toEqual([]);
    }
  });

  it("passes a line of exactly the limit", () => {
    expect(hear([Buffer.from("12345\n123456\n")], 5)).toEqual([
      ["line", "12345"],
      ["tooLarge", "123456", "123456"],
    ]);
  });
});
