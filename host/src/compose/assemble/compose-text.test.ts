import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { artifactConfig } from "../configs/configs-for-tests.ts";
import { composeText, type Composition, type PartTexts } from "./compose-text.ts";
import { DeepMerge, type ArrayMerge } from "./deep-merge.ts";
import { mergeParts } from "./merge-parts.ts";
import { parse } from "yaml";

const part = (content_id: string, ...texts: string[]): PartTexts => ({
  content_id,
  texts: texts.map((text) => ({ text, format: "text" })),
});
const compose = (parts: readonly PartTexts[], metadata: object, over: Partial<Composition> = {}): Promise<string> =>
  composeText({
    artifact: artifactConfig([{ id: "a" }], { ...metadata }),
    parts,
    context: {},
    maxBytes: 1_000,
    render: () => "",
    ...over,
  });
const mergeAll = async (format: string, parts: readonly PartTexts[], arrays: string | undefined): Promise<string> => {
  const required = parts.map((each) => ({ ...each, required: true }));
  const merged = await mergeParts({
    parts: required,
    formats: [format],
    arrays: (arrays ?? "concat") as ArrayMerge,
    maxBytes: 1_000,
  });
  return merged.texts[0]!;
};
const merge = (format: string, texts: readonly string[], arrays?: string): Promise<string> =>
  mergeAll(
    format,
    texts.map((text, at) => part(`part-${at}`, text)),
    arrays,
  );
const mergeTwo = (a: unknown, b: unknown, arrays: ArrayMerge): unknown => {
  const merged = new DeepMerge(arrays);
  merged.add(a);
  merged.add(b);
  return merged.value();
};

describe("texts that are joined", () => {
  it("stand in order with the separator between them, each version too", async () => {
    const parts = [part("a", "1"), part("b", "2", "3")];
    expect(await compose(parts, {})).toBe("1\n\n2\n\n3");
    expect(await compose(parts, { compositionConfig: { separator: "" } })).toBe("123");
    expect(await compose([], {})).toBe("");
  });

  it("must not become too large", async () => {
    await expect(compose([part("a", "x".repeat(600)), part("b", "x".repeat(600))], {})).rejects.toThrow(
      expect.objectContaining({ code: "content_too_large", details: { size: 1_202, limit: 1_000 } }),
    );
  });
});

describe("texts in a template", () => {
  it("are known by their ids", async () => {
    let seen: unknown;
    const render: Composition["render"] = (template, values) => {
      seen = values;
      return Promise.resolve(`<${template}>`);
    };
    const metadata = { compositionStrategy: "template", compositionConfig: { template: "T" } };
    const parts = [part("constructor", "1", "2"), part("b", "3")];
    expect(await compose(parts, metadata, { render, context: { x: 1 } })).toBe("<T>");
    expect(seen).toMatchObject({
      components: { constructor: "1\n\n2", b: "3" },
      order: ["constructor", "b"],
      context: { x: 1 },
      artifact: { id: "book" },
    });
  });
});

describe("data that is merged", () => {
  const texts = ['{"a":1,"o":{"x":1,"y":[1,2]},"s":{"t":1}}', '{"o":{"y":[2,3],"z":true},"a":null,"s":[1]}'];

  it.each([
    ["concat", [1, 2, 2, 3]],
    ["replace", [2, 3]],
    ["unique", [1, 2, 3]],
  ])("is one object; lists by %s", async (arrays, y) => {
    const wanted = { a: null, o: { x: 1, y, z: true }, s: [1] };
    expect(JSON.parse(await merge("json", texts, arrays))).toEqual(wanted);
    expect(parse(await merge("yaml", texts, arrays))).toEqual(wanted);
  });

  it("keeps numbers as they were written, and members that look like something else", async () => {
    const text = await merge("json", [
      '{"n":12345678901234567890,"__proto__":{"a":1}}',
      '{"m":1.10,"__proto__":{"b":2}}',
    ]);
    expect(text.replaceAll(/\s/g, "")).toBe('{"n":12345678901234567890,"__proto__":{"a":1,"b":2},"m":1.10}');
    expect(({} as { a?: number }).a).toBeUndefined();
  });

  it("may be YAML", async () => {
    expect(await merge("yaml", ["a: 1\nl: [x]\n", "l:\n  - y\nb: text\n"])).toBe("a: 1\nl:\n  - x\n  - y\nb: text\n");
    const yaml = { content_id: "y", texts: [{ text: "a: 1", format: "yaml" }] };
    const json = await mergeAll("json", [yaml, part("j", '{"b":2}')], undefined);
    expect(JSON.parse(json)).toEqual({ a: 1, b: 2 });
  });

  it.each([
    ["json", "not json", /"part-1" cannot be merged: it is no JSON/],
    ["json", "[1]", /"part-1" cannot be merged: it is no object/],
    ["json", "null", /it is no object/],
    ["json", `${"[".repeat(5_000)}${"]".repeat(5_000)}`, /nested deeper/],
    ["yaml", "a: 1\na: 2", /"part-1" cannot be merged: line 2: \/a stands there twice/],
    ["yaml", "a: [", /cannot be merged: line/],
    ["yaml", "n: 12345678901234567890", /rounded/],
    ["python", "x = 1", /Texts of the format python cannot be merged/],
  ])("as %s fails for %j, and says which text it was", async (format, text, message) => {
    await expect(merge(format, ["{}", text])).rejects.toThrow(
      expect.objectContaining({ code: "assembly_failed", message: expect.stringMatching(message) }),
    );
  });

  const object = fc.dictionary(fc.constantFrom("a", "b", "c"), fc.jsonValue({ maxDepth: 2 }));
  it("has every member of the later one, and of the earlier one what the later one does not name", () => {
    fc.assert(
      fc.property(object, object, (a, b) => {
        const merged = mergeTwo(a, b, "replace") as Record<string, unknown>;
        expect(Object.keys(merged).toSorted()).toEqual([...new Set([...Object.keys(a), ...Object.keys(b)])].toSorted());
        for (const key of Object.keys(a)) if (!Object.hasOwn(b, key)) expect(merged[key]).toEqual(a[key]);
        expect(mergeTwo(merged, b, "replace")).toEqual(merged);
        expect(mergeTwo({}, a, "concat")).toEqual(a);
      }),
    );
  });
});

describe("Markdown that is merged", () => {
  it.each([
    [["# A\n\none\n", "# A\ntwo"], "# A\n\none\n\ntwo\n"],
    [["# A\none\n## X\nx1", "# A\ntwo\n## X\nx2\n## Y\ny"], "# A\n\none\n\ntwo\n\n## X\n\nx1\n\nx2\n\n## Y\n\ny\n"],
    [["# A\n## X\n1\n# B\n## X\n2"], "# A\n\n## X\n\n1\n\n2\n\n# B\n"],
    [["# A\n## X\n1", "# B\nb\n## X\n2\n## Y\ny"], "# A\n\n## X\n\n1\n\n2\n\n# B\n\nb\n\n## Y\n\ny\n"],
    [["# A\n## X\n1", "# B\n### X\n2"], "# A\n\n## X\n\n1\n\n# B\n\n### X\n\n2\n"],
    [["# A\n## X\n1\n# B\nb", "## X\n2"], "# A\n\n## X\n\n1\n\n2\n\n# B\n\nb\n"],
    [["# A\na", "plain"], "# A\n\na\n\nplain\n"],
    [["before\n# A ##\na", "#A\n# A\nb"], "before\n\n# A ##\n\na\n\nb\n\n#A\n"],
    [["# A\n```\n# no heading\n```\na", "# no heading\nb"], "# A\n\n```\n# no heading\n```\na\n\n# no heading\n\nb\n"],
    [["## A\r\na\r\n", "# A\nb"], "## A\n\na\n\n# A\n\nb\n"],
    [["# A\n\n    code", "# A\n\n\n    more"], "# A\n\n    code\n\n    more\n"],
    [["", "  \n"], ""],
  ])("%j is %j", async (texts, merged) => {
    expect(await merge("markdown", texts)).toBe(merged);
  });
});
