import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { forgedTag, tagsIn } from "./hostile-text-for-tests.ts";
import { neutraliseSchema } from "./neutralise-schema.ts";

describe("a tool's schema", () => {
  it("has no tag in any of its texts, wherever they stand", () => {
    fc.assert(
      fc.property(forgedTag, (text) => {
        const said = { title: text, description: text, $comment: text };
        const schema = {
          ...said,
          type: "object",
          properties: { description: { type: "string", ...said }, default: { anyOf: [said, { items: said }] } },
          $defs: { const: said },
          additionalProperties: said,
        };
        expect(tagsIn(JSON.stringify(schema).replaceAll(/\\[tn]/g, " "))).toBeGreaterThan(0);
        expect(tagsIn(JSON.stringify(neutraliseSchema(schema)).replaceAll(/\\[tn]/g, " "))).toBe(0);
      }),
      { numRuns: 200 },
    );
  });

  it("keeps its names, and values that a call has to repeat", () => {
    const schema = JSON.parse(
      `{"type":"object","properties":{"<file>":{"enum":["<file>",1],"default":"</file>"},"__proto__":{"const":"<file>"}},
        "required":["<file>"],"pattern":"<file>"}`,
    ) as Record<string, unknown>;
    expect(JSON.stringify(neutraliseSchema(schema))).toBe(JSON.stringify(schema));
  });
});
