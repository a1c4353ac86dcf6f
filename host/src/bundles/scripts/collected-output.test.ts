import fc from "fast-check";
import { expect, test } from "vitest";
import { CollectedOutput } from "./collected-output.ts";

test("what is collected is what came, however it was cut into pieces", () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 40_000 }), { maxLength: 20 }), (chunks) => {
      const output = new CollectedOutput();
      for (const chunk of chunks) output.push(Buffer.from(chunk));
      const whole = Buffer.concat(chunks);
      expect([output.size, output.bytes().equals(whole)]).toEqual([whole.length, true]);
      output.cut(10_000);
      output.push(Buffer.from("more"));
      expect(output.bytes().equals(Buffer.concat([whole.subarray(0, 10_000), Buffer.from("more")]))).toBe(true);
    }),
    { numRuns: 30 },
  );
});

test("no piece is held: a program that writes byte by byte costs what it writes", () => {
  const output = new CollectedOutput();
  const chunk = Buffer.from("a");
  for (let count = 0; count < 1_000_000; count++) output.push(chunk);
  chunk.fill("b");
  expect(output.bytes().equals(Buffer.alloc(1_000_000, "a"))).toBe(true);
  expect(output.bytes().buffer.byteLength).toBeLessThanOrEqual(2 * 1_000_000 + 64 * 1024);
});
