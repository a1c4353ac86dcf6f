import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isText, textHead, textPart } from "./text-of.ts";

const characters = fc.string({ unit: "binary", maxLength: 60 }).filter((text) => text.isWellFormed());

describe("text by characters", () => {
  it("is the same in parts as in one piece, and no part is longer than asked", () => {
    fc.assert(
      fc.property(characters, fc.integer({ min: 1, max: 9 }), (text, length) => {
        const bytes = Buffer.from(text);
        const parts: string[] = [];
        for (let offset: number | null = 0; offset !== null;) {
          const part = textPart(bytes, offset, length);
          expect(Array.from(part.text).length).toBeLessThanOrEqual(length);
          expect(part.text.isWellFormed()).toBe(true);
          parts.push(part.text);
          offset = part.nextOffset;
        }
        expect(parts.join("")).toBe(text);
      }),
    );
  });

  it("begins where it was asked to", () => {
    fc.assert(
      fc.property(characters, fc.nat(70), fc.integer({ min: 1, max: 70 }), (text, offset, length) => {
        const expected = Array.from(text).slice(offset, offset + length);
        expect(textPart(Buffer.from(text), offset, length).text).toBe(expected.join(""));
      }),
    );
  });

  it("is empty behind the end, and there is no more", () => {
    expect(textPart(Buffer.from("abc"), 99, 5)).toEqual({ text: "", nextOffset: null });
    expect(textPart(Buffer.from("äöü"), Number.MAX_SAFE_INTEGER, 5)).toEqual({ text: "", nextOffset: null });
    expect(textPart(Buffer.from("abc"), 0, 3)).toEqual({ text: "abc", nextOffset: null });
  });

  it("of the first bytes never ends in half a character", () => {
    fc.assert(
      fc.property(characters, fc.nat(250), (text, most) => {
        const head = textHead(Buffer.from(text), most);
        expect(text.startsWith(head)).toBe(true);
        expect(Buffer.byteLength(head)).toBeLessThanOrEqual(most);
        expect(Buffer.byteLength(head)).toBeGreaterThan(Math.min(most, Buffer.byteLength(text)) - 4);
      }),
    );
  });
});

describe("a file", () => {
  const valid = Buffer.from("ä");
  it.each([
    ["text/anything", valid, true],
    ["TEXT/PLAIN; charset=utf-8", valid, true],
    ["application/json", valid, true],
    ["application/xml", valid, true],
    ["application/yaml", valid, true],
    ["application/vnd.x+json", valid, true],
    ["image/svg+xml", valid, true],
    ["text/plain", Buffer.from([0xff]), false],
    ["application/pdf", valid, false],
    ["image/png", valid, false],
    ["application/octet-stream", valid, true],
    ["application/octet-stream", Buffer.from([65, 0]), false],
    ["application/octet-stream", Buffer.from([0xc3]), false],
  ])("of type %s with %j is text: %j", (type, bytes, expected) => {
    expect(isText(type, bytes)).toBe(expected);
  });
});
