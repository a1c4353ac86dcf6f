import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { ownText } from "./own-text.ts";

const BODY = 4_000_000;
const BODIES = 25;

const collect = (): number => {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};

const received = (n: number): string =>
  Buffer.from(`{"wanted":"w${n}${"ü".repeat(40)}","rest":"${"x".repeat(BODY)}"}`).toString();

it("a piece of a body is kept without the body", () => {
  const before = collect();
  const kept = Array.from({ length: BODIES }, (_, n) => ownText(received(n).slice(10, 55)));
  expect(collect() - before).toBeLessThan((BODIES * BODY) / 4);
  expect(kept[7]).toBe(received(7).slice(10, 55));
});
