import { describe, expect, it } from "vitest";
import { mergeParts, type PartsMerge } from "./merge-parts.ts";

const MAX_BYTES = 10_000_000;

const merge = (
  texts: readonly string[],
  { format = "json", ...over }: Partial<PartsMerge> & { readonly format?: string } = {},
): Promise<string> =>
  mergeParts({
    parts: texts.map((text, at) => ({ content_id: `p${at}`, required: true, texts: [{ text, format }] })),
    formats: [format],
    arrays: "concat",
    maxBytes: MAX_BYTES,
    ...over,
  }).then(({ texts: [text] }) => text!);

const list = (length: number, from = 0): string =>
  JSON.stringify({ a: { b: Array.from({ length }, (_, at) => `v${from + at}`) } });

const read = (text: string): readonly string[] => (JSON.parse(text) as { a: { b: string[] } }).a.b;

describe("many large texts", () => {
  it("are joined list by list, each gone through once", async () => {
    const merged = await merge(Array.from({ length: 100 }, (_, at) => list(5_000, at)));
    expect(read(merged).length).toBe(500_000);
  });

  it("are joined without what was there before, each looked at once", async () => {
    const merged = read(
      await merge(
        Array.from({ length: 100 }, (_, at) => list(5_000, at)),
        { arrays: "unique" },
      ),
    );
    expect(merged.length).toBe(5_099);
    expect(new Set(merged).size).toBe(5_099);
  });

  it("change nothing in one another, however often one is used", async () => {
    const text = "a: &x {l: [1]}\nb: *x\n";
    const merged = await merge([text, "a: {l: [2]}", "b: {l: [3], m: 1}", text], { format: "yaml" });
    expect(merged).toBe("a:\n  l:\n    - 1\n    - 2\n    - 1\nb:\n  l:\n    - 1\n    - 3\n    - 1\n  m: 1\n");
  });
});

describe("texts that would become too large when they are merged", () => {
  const tooLarge = expect.objectContaining({ code: "content_too_large" }) as Error;

  it("by their indentation are refused before they are written", async () => {
    const text = `{"a":${"[".repeat(90)}${"1,".repeat(2_000_000)}1${"]".repeat(90)}}`;
    await expect(merge([text])).rejects.toThrow(tooLarge);
  });

  it("by their aliases are refused before they are written", async () => {
    const tens = (name: string): string => `[${Array.from({ length: 10 }, () => name).join(",")}]`;
    const text = `a: &a ${tens("x")}\nb: &b ${tens("*a")}\nc: &c ${tens("*b")}\nd: &d ${tens("*c")}\ne: ${tens("*d")}\n`;
    await expect(merge([text], { format: "yaml", maxBytes: 1_000_000 })).rejects.toThrow(tooLarge);
    await expect(
      merge(
        Array.from({ length: 100 }, () => text),
        { format: "yaml" },
      ),
    ).rejects.toThrow(
      expect.objectContaining({ code: "assembly_failed", message: "There are more than 5000000 values to merge." }),
    );
  });

  it("by the number of what is in them are refused before they are read", async () => {
    await expect(merge([`{"a":[${"{},".repeat(3_000_000)}1]}`])).rejects.toThrow("more than 5000000 values");
  });

  it("by the lines of their texts are refused before they are written", async () => {
    const deep = `{"a":${"[".repeat(30)}${JSON.stringify("x\n".repeat(200_000))}${"]".repeat(30)}}`;
    await expect(merge([deep], { formats: ["yaml"] })).rejects.toThrow(tooLarge);
  });
});

it("every text that is small enough is written, whatever its shape", async () => {
  for (const text of [
    '{"a":[[[[1,{"b":[]}],{}]]],"c":"x\\ny","d":{"e":{"f":null}}}',
    '{"a":[{"b":1,"c":[2]},[[3]]]}',
  ]) {
    for (const format of ["json", "yaml"]) {
      const whole = await merge([text], { formats: [format] });
      const { length } = Buffer.from(whole);
      expect(await merge([text], { formats: [format], maxBytes: length })).toBe(whole);
      await expect(merge([text], { formats: [format], maxBytes: length - 1 })).rejects.toThrow("bytes");
    }
  }
});
