import { describe, expect, test } from "vitest";
import { nearest } from "./nearest.ts";

describe("nearest", () => {
  test("gives the closest word, the earlier of two", () => {
    expect(nearest("prot", ["host", "port", "part"], 2)).toBe("port");
    expect(nearest("cat", ["bat", "hat"], 1)).toBe("bat");
  });

  test("gives none beyond the distance", () => {
    expect(nearest("portable", ["port"], 2)).toBeNull();
    expect(nearest("port", [], 2)).toBeNull();
    expect(nearest("port", ["part"], 0)).toBeNull();
    expect(nearest("port", ["port"], 0)).toBe("port");
  });

  test("does not compare words that nobody types", () => {
    const long = "x".repeat(300);
    expect(nearest(long, [long], 2)).toBeNull();
  });
});
