import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { takeCode } from "./code-generation-fence.ts";

const fenced = (language: string, code: string, mark = "```"): string => `${mark}${language}\n${code}\n${mark}`;

describe("the code in an answer", () => {
  it("is the first block of the language", () => {
    const answer = `Install:\n${fenced("bash", "pip install x")}\nThen:\n${fenced("python", "print(1)")}\n${fenced("python", "print(2)")}`;
    expect(takeCode(answer, "python")).toBe("print(1)");
    expect(takeCode(answer, "Python")).toBe("print(1)");
  });

  it("is of the language under another of its names", () => {
    expect(takeCode(`${fenced("sh", "npm i")}\n${fenced("ts", "let a;")}`, "typescript")).toBe("let a;");
    expect(takeCode(`${fenced("text", "x")}\n${fenced("C++", "int a;")}`, "cpp")).toBe("int a;");
  });

  it("is the first block where none is of the language, or none is asked for", () => {
    const answer = `${fenced("", "a")}\n${fenced("python", "b")}`;
    expect(takeCode(answer, "rust")).toBe("a");
    expect(takeCode(answer, null)).toBe("a");
  });

  it("is all of it, trimmed, where nothing is fenced", () => {
    expect(takeCode("\n  print(1)\n\n", "python")).toBe("print(1)");
    expect(takeCode("a `b` c", null)).toBe("a `b` c");
  });

  it("keeps shorter and other fences that it holds", () => {
    const inner = "# Title\n```js\nx\n```\n~~~\ny\n~~~";
    expect(takeCode(fenced("markdown", inner, "````"), "markdown")).toBe(inner);
    expect(takeCode(fenced("markdown", "```\nx\n```", "~~~"), "markdown")).toBe("```\nx\n```");
  });

  it("goes to the end where its fence is not closed, and has blanks and line ends as they are", () => {
    expect(takeCode("```python\n  a\n\n  b  ", "python")).toBe("  a\n\n  b  ");
    expect(takeCode("```python title=x\r\na\r\nb\r\n```\r\n", "python")).toBe("a\nb");
  });

  it("comes out of a fence as it went in, whatever it is", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (code) => {
        fc.pre(!/[`~\r]/.test(code));
        expect(takeCode(`Here:\n\n${fenced("go", code)}\nDone.`, "go")).toBe(code);
      }),
    );
  });
});
