import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { shapeAnswer } from "./shape-answer.ts";

const MAX = 100_000;
const made = (content: string) => ({
  success: true,
  content_id: "letter",
  content,
  status: "generated",
  metadata: { version_id: "2026-01-01T00:00:00.000Z" },
  duration_ms: 1,
});
const URI = "content://letter/2026-01-01T00:00:00.000Z";

describe("an answer", () => {
  test("is the same in both forms", () => {
    const answer = made("short");
    expect(shapeAnswer(answer, MAX)).toEqual({
      content: [{ type: "text", text: JSON.stringify(answer) }],
      structuredContent: answer,
    });
  });

  test("with a text that fits once stands whole in the structured form, and the other says where it is", () => {
    const answer = made("x".repeat(60_000));
    const { content, structuredContent } = shapeAnswer(answer, MAX);
    expect(structuredContent).toBe(answer);
    const [text, link] = content as [{ text: string }, object];
    expect(JSON.parse(text.text)).toMatchObject({
      content: "x".repeat(10_000),
      metadata: { content_cut: true, content_length: 60_000, content_uri: URI },
    });
    expect(link).toMatchObject({ type: "resource_link", uri: URI });
  });

  test("with a text that does not fit at all is cut where it says so", () => {
    const { structuredContent } = shapeAnswer(made("\n".repeat(90_000)), MAX);
    expect(structuredContent).toMatchObject({ content: "\n".repeat(10_000), metadata: { content_cut: true } });
  });

  test("says at its top that it was cut where it has no metadata, so that it stays what its schema says", () => {
    const { structuredContent } = shapeAnswer({ success: true, content: "z".repeat(120_000) }, MAX);
    expect(structuredContent).toEqual({
      success: true,
      content: "z".repeat(10_000),
      content_cut: true,
      content_length: 120_000,
    });
  });

  test("cuts the texts of entries too, and leaves short ones", () => {
    const answer = { success: true, entries: [{ content: "a" }, { content: "y".repeat(200_000) }, { content: null }] };
    const { structuredContent } = shapeAnswer(answer, MAX);
    expect(structuredContent).toEqual({
      success: true,
      entries: [
        { content: "a" },
        { content: "y".repeat(10_000), content_cut: true, content_length: 200_000 },
        { content: null },
      ],
    });
  });

  test("never has more bytes than a result may have, whatever the text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 400 }), fc.integer({ min: 1, max: 400 }), (text, times) => {
        const result = shapeAnswer(made(text.repeat(times)), MAX);
        expect(Buffer.byteLength(JSON.stringify(result))).toBeLessThanOrEqual(MAX);
      }),
    );
  });

  test("that failed is marked as a failure", () => {
    expect(shapeAnswer({ success: false, error: {} }, MAX)).toMatchObject({ isError: true });
  });
});
