/** Messages name commands as the next step; each of those must be one that can be typed. */
import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { COMMANDS } from "./commands.ts";

const SOURCE = fileURLToPath(new URL("..", import.meta.url));
const files = globSync("transport/*.ts", { cwd: SOURCE }).filter((file) => !/test/.test(file));

/** The one or two words after the program's name, where the text goes on like a command. */
const namedIn = (text: string): string[] =>
  [...text.matchAll(/["`>]bailiwick ([a-z]+)(?: ([a-z]+))?/g)].map(([, first = "", second = ""]) =>
    COMMANDS.some(({ name }) => name === first) ? first : `${first} ${second}`,
  );

describe("the commands that answers of the doors name", () => {
  const named = files.flatMap((file) => namedIn(readFileSync(`${SOURCE}/${file}`, "utf8")));

  it("are found", () => expect(named).toContain("key create"));

  it.each([...new Set(named)])("bailiwick %s exists", (command) => {
    expect(COMMANDS.map(({ name }) => name)).toContain(command);
  });
});
