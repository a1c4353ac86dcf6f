import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cleanText } from "./clean-text.ts";
import { cutText } from "./cut-text.ts";
import { renderResult } from "./render-result.ts";
import { sizeText } from "./size-text.ts";
import { renderTable } from "./table.ts";
import { createTerminal } from "./terminal.ts";

describe("a table", () => {
  const rows = [
    ["a", "invokable", "short"],
    ["long-name", "dead", "a description that does not fit into the width"],
  ];

  it("has columns as wide as their widest cell, and no line ends in blanks", () => {
    expect(renderTable(rows, { width: Number.POSITIVE_INFINITY })).toEqual([
      "a          invokable  short",
      "long-name  dead       a description that does not fit into the width",
    ]);
  });

  it("is cut to the terminal's width in its last column, never below a readable one", () => {
    expect(renderTable(rows, { width: 42 })[1]).toBe("long-name  dead       a description that …");
    expect(renderTable(rows, { width: 5 })[1]).toBe("long-name  dead       a description that …");
  });

  it("is padded by what is seen, not by its colours", () => {
    const [line] = renderTable([["ab", "c"]], { width: 80, paint: (cell) => `<${cell}>` });
    expect(line).toBe("<ab>  <c>");
  });

  it("cuts between characters, not inside them", () => {
    expect(cutText("😀😀😀😀", 3)).toBe("😀😀…");
    expect(cutText("abc", 3)).toBe("abc");
  });
});

describe("text of others on a terminal", () => {
  it("shows escape sequences and direction marks instead of obeying them", () => {
    expect(cleanText("\u001B[2Jgone\u001B]0;title\u0007\u009B31m\u202E")).toBe(
      String.raw`\u001b[2Jgone\u001b]0;title\u0007\u009b31m\u202e`,
    );
  });

  it("keeps line ends, tabs and letters of every script", () => {
    expect(cleanText("a\tb\r\nÄ 日本 😀")).toBe("a\tb\nÄ 日本 😀");
  });

  it("lets no control character through but our own colours, line ends and tabs", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const colours = ["0", "1", "2", "31", "32", "33"].map((code) => `\u001B[${code}m`);
        const rest = ["\n", "\t", ...colours].reduce((left, allowed) => left.replaceAll(allowed, ""), cleanText(text));
        expect(rest).not.toMatch(/\p{Cc}/u);
      }),
    );
  });
});

describe("colours", () => {
  const paintOf = (isTTY: boolean, env: Record<string, string>): string =>
    createTerminal({ stdout: { isTTY, write: () => true }, stderr: { write: () => true }, env }).paint.red("x");

  it("are there on a terminal only, and not where NO_COLOR or a dumb terminal forbids them", () => {
    expect(paintOf(true, {})).toBe("\u001B[31mx\u001B[0m");
    expect(paintOf(false, {})).toBe("x");
    expect(paintOf(true, { NO_COLOR: "1" })).toBe("x");
    expect(paintOf(true, { TERM: "dumb" })).toBe("x");
  });
});

describe("a tool's result", () => {
  it("is its text, and one line for each block that is not text", () => {
    const content = [
      { type: "text", text: "two\nlines" },
      { type: "image", mimeType: "image/png", data: "A".repeat(16_000) },
      { type: "audio", mimeType: "audio/wav", data: "AA==" },
      { type: "resource_link", name: "notes", uri: "file:///n" },
      { type: "resource", resource: { uri: "x:1", text: "inside" } },
      { type: "resource", resource: { uri: "x:2", mimeType: "a/b", blob: "AAAA" } },
      { type: "hologram" },
      7,
    ];
    expect(renderResult({ content })).toEqual([
      "two\nlines",
      "[image image/png 12 kB]",
      "[audio audio/wav 1 B]",
      "[link notes file:///n]",
      "inside",
      "[resource x:2 a/b 3 B]",
      "[hologram]",
      "[unreadable block]",
    ]);
  });

  it("is its structured content when there is nothing else", () => {
    expect(renderResult({ content: [], structuredContent: { a: 1 } })).toEqual(['{\n  "a": 1\n}']);
  });

  it("never throws, whatever a server sends", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(renderResult({ content: value })).toBeInstanceOf(Array);
        expect(
          renderResult({ content: [value, { type: "image", data: value }, { type: "resource", resource: value }] }),
        ).toHaveLength(3);
      }),
    );
  });

  it("has its size in bytes, kB or MB", () => {
    expect([999, 1500, 2_340_000].map(sizeText)).toEqual(["999 B", "2 kB", "2.3 MB"]);
  });
});
