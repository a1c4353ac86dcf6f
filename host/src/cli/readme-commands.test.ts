import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { BUNDLE_COMMANDS } from "./bundle-commands.ts";

const README = readFileSync(new URL("../../../README.md", import.meta.url), "utf8");

it("the README's table has every command about bundles, and no other", () => {
  const rows = README.split("\n").filter((line) => line.startsWith("| `bundle "));
  const named = rows.flatMap((row) => {
    const [, cell = ""] = row.split("|");
    return [...cell.matchAll(/`(?:bundle )?([a-z]+)[^`]*`/g)].map(([, word = ""]) => `bundle ${word}`);
  });
  expect(named.toSorted()).toEqual(BUNDLE_COMMANDS.map(({ name }) => name).toSorted());
});
