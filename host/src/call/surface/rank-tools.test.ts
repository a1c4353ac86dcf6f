import { describe, expect, it } from "vitest";
import type { ToolRow } from "../../kernel/surface.ts";
import { rankTools } from "./rank-tools.ts";

const row = (name: string, description: string | null = null): ToolRow =>
  ({ name, description, title: null }) as ToolRow;
const ROWS = [
  row("mail__send", "Send a letter to somebody"),
  row("mail__read", "Read letters"),
  row("files__get-sum", "Adds numbers"),
  row("files__get-all"),
  row("files__summary", "Sends nothing"),
];
const search = (query: string): string[] => rankTools(ROWS, query).map((found) => found.name);

describe("the order of a search", () => {
  it.each([
    ["send letters", ["mail__send", "files__summary", "mail__read"]],
    ["files get sun", ["files__get-sum", "files__get-all", "files__summary"]],
    ["raed", ["mail__read"]],
    ["LETTER", ["mail__read", "mail__send"]],
    ["nothing at all like it", ["files__get-all", "files__summary"]],
    ["xyz", []],
  ])("for %j is %j", (query, expected) => expect(search(query).slice(0, 3)).toEqual(expected));

  it("also finds a tool by the further words that it wants to be found by", () => {
    const aliasesOf = ({ name }: ToolRow): string => (name === "files__get-sum" ? "total addition" : "");
    expect(rankTools(ROWS, "totals", aliasesOf).map(({ name }) => name)).toEqual(["files__get-sum"]);
    expect(search("totals")).toEqual([]);
  });

  it("is that of the list when nothing is asked for", () => {
    expect(search("")).toEqual(ROWS.map((each) => each.name));
    expect(search(" __ ")).toHaveLength(ROWS.length);
  });
});
