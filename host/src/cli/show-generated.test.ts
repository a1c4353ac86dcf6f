import { expect, it } from "vitest";
import type { CommandContext } from "./command.ts";
import { showGenerated } from "./show-generated.ts";
import { createTerminal } from "./terminal.ts";

const TEXT = "a\u001B[2Jb\r\nc";

const show = (isTTY: boolean, text = TEXT, length = TEXT.length): { out: string; err: string } => {
  const written = { out: "", err: "" };
  const output = (to: "out" | "err") => ({ isTTY, write: (piece: string) => (written[to] += piece) });
  const terminal = createTerminal({ stdout: output("out"), stderr: output("err"), env: { NO_COLOR: "1" } });
  const tested = { content_length: length, generator_used: "x\u001B[2J", selection_rule: "explicit_type" };
  showGenerated({ terminal } as CommandContext, {
    text,
    tested,
    warnings: null,
    draftId: "draft-1",
    configId: "it's\u001B[2J",
  });
  return written;
};

it("a text goes into a pipe as it was made, and is shown but not obeyed on a screen", () => {
  expect(show(false).out).toBe(`${TEXT}\n`);
  expect(show(true).out).toBe("a\\u001b[2Jb\nc\n");
  for (const isTTY of [false, true]) expect(show(isTTY).err).not.toContain("\u001B[2J");
});

it("a text that only ends like one that was cut is whole", () => {
  const cut = `${TEXT}\n\n... (truncated, total 12345 chars)`;
  expect(show(false, cut, cut.length).err).not.toContain("→");
  expect(show(false, cut, 12_345).err.match(/^→ /gm)).toHaveLength(2);
});
