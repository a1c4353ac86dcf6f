import { expect, it } from "vitest";
import { declareCommand } from "./declare-command.ts";

it("says how many names stand in no command", () => {
  const names = "a b c d e f g h i j".split(" ");
  expect(declareCommand(["a", ...names])).toBe("bailiwick capabilities add a b c d e f g h (and 2 more)");
  expect(declareCommand(names.slice(0, 8))).toBe("bailiwick capabilities add a b c d e f g h");
  expect(declareCommand(["a", "a", "b", "a", "b", "a", "b", "a", "b"])).toBe("bailiwick capabilities add a b");
});
