import * as fc from "fast-check";
import { expect, test } from "vitest";
import { brandOf } from "./brand-of.ts";

const markers = fc.uint8Array({ minLength: 8, maxLength: 32 }).map((bytes) => Buffer.from(bytes).toString("hex"));

test("a brand is a number that fits a limit and that nobody would set, the same for the same marker", () => {
  fc.assert(
    fc.property(markers, (marker) => {
      const brand = brandOf(marker);
      expect(brand).toMatch(/^[12]\d{18}$/);
      expect(BigInt(brand)).toBeGreaterThanOrEqual(1n << 60n);
      expect(BigInt(brand)).toBeLessThan(1n << 61n);
      expect(brandOf(marker)).toBe(brand);
    }),
  );
});

test("the brands of two starts differ", () => {
  const marker = "0123456789abcdef0123456789abcdef";
  expect(brandOf(`${marker.slice(0, -1)}e`)).not.toBe(brandOf(marker));
  expect(brandOf(marker.replace("23456789abcdef0123", "23456789abcdef0223"))).not.toBe(brandOf(marker));
});
