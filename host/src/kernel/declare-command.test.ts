import { describe, expect, it } from "vitest";
import { declareCommand, nameSome } from "./declare-command.ts";

const LETTERS = "a b c d e f g h i j".split(" ");

describe("what is missing", () => {
  it.each<[readonly string[], string]>([
    [["usd"], "usd"],
    [["usd", "gpu", "usd"], "usd, gpu, usd"],
    [LETTERS.slice(0, 8), "a, b, c, d, e, f, g, h"],
    [LETTERS.slice(0, 9), "a, b, c, d, e, f, g, h and 1 more"],
    [LETTERS, "a, b, c, d, e, f, g, h and 2 more"],
  ])("%j is told as %s", (names, text) => expect(nameSome(names)).toBe(text));

  it.each<[readonly string[], string]>([
    [["usd", "filesystem.write", "usd"], "usd filesystem.write"],
    [["$(x)", "a b", "it's"], String.raw`'$(x)' 'a b' 'it'\''s'`],
    [LETTERS, "a b c d e f g h"],
    [["h", ...LETTERS, "--json"], "h a b c d e f g"],
    [["usd", "--json"], "<name>..."],
    [["-h"], "<name>..."],
    [[""], "<name>..."],
    [["a\nb"], "<name>..."],
    [["a\u200Bb"], "<name>..."],
    [["a\uFE0F"], "<name>..."],
    [["\u202Ex"], "<name>..."],
    [["\uD800"], "<name>..."],
  ])("%j is declared by a command that can be typed as it is shown: %s", (names, words) => {
    expect(declareCommand(names)).toBe(`bailiwick capabilities add ${words}`);
  });
});
