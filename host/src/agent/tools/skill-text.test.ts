import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Refusal } from "../../kernel/refusal.ts";
import { checkDraft, joinTexts, type SkillDraft } from "./skill-draft.ts";
import { readSkillText, writeSkillText } from "./skill-text.ts";

const HOSTILE = [
  "---",
  "...",
  "a: b",
  "#",
  "!!js",
  "&a",
  "*a",
  "null",
  "1.10",
  "0x1f",
  "~",
  "{",
  "[",
  "'",
  '"',
  "\\",
  "%",
  "@",
  "`",
  "|",
  ">",
  "? x",
  "- x",
  "<<",
  "__proto__",
  "\u0085",
  "\u2028---\u2028",
  "\ufeff",
  "\n---\n",
  "\r\n",
  "\t",
  "\u0000",
  "${env:X}",
  "</tool-result>",
  "\ud800",
  "😀",
  "yes",
];
const piece = fc.oneof(
  fc.constantFrom(...HOSTILE),
  fc.string({ unit: "binary", maxLength: 20 }),
  fc.string({ maxLength: 20 }),
);
const text = fc.array(piece, { minLength: 1, maxLength: 4 }).map((pieces) => pieces.join(""));
const texts = fc.array(text, { maxLength: 4 });
const draft: fc.Arbitrary<SkillDraft> = fc.record(
  {
    description: text,
    body: text,
    triggers: texts,
    keywords: texts,
    allowedTools: texts,
    priority: fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.integer()),
    type: fc.constantFrom("context" as const, "skill" as const),
  },
  { requiredKeys: ["body"] },
);

/** Null: it was refused, which is as good as being kept. */
const orRefused = async <T>(work: () => Promise<T> | T): Promise<T | null> => {
  try {
    return await work();
  } catch (no) {
    if (no instanceof Refusal) return null;
    throw no;
  }
};

const path = "skills/a.md";

describe("a skill that was written", () => {
  it("reads back as what was asked for, without a warning, whatever was asked for", async () => {
    let written = 0;
    await fc.assert(
      fc.asyncProperty(draft, async (asked) => {
        const checked = await orRefused(() => checkDraft(asked));
        if (checked === null) return;
        const made = await orRefused(() =>
          writeSkillText({ name: "a", version: "1.0.0", draft: checked, before: null, path }),
        );
        if (made === null) {
          // Only what would be told as a warning is turned away here.
          expect([checked.type, (checked.priority ?? 50) > 10]).toEqual(["context", true]);
          return;
        }
        written++;
        const read = await readSkillText(made, path);
        expect(read?.warnings).toEqual([]);
        const { skill } = read!;
        expect([skill.name, skill.version, skill.body]).toEqual(["a", "1.0.0", asked.body?.trim()]);
        expect(skill.description).toBe(asked.description?.trim() ?? "");
        expect(skill.triggers).toEqual(joinTexts([], asked.triggers ?? []));
        expect(skill.allowedTools).toEqual(asked.allowedTools === undefined ? null : [...new Set(asked.allowedTools)]);
      }),
      { numRuns: 500 },
    );
    expect(written).toBeGreaterThan(20);
  });

  it("keeps what was not asked to change, whatever is put on top", async () => {
    const before = await readSkillText(
      "---\nname: a\nversion: 2.0.9\ndescription: Kept\nmetadata: {tags: [x], keywords: [k]}\n---\nOld.",
      path,
    );
    await fc.assert(
      fc.asyncProperty(draft, async (any) => {
        const { type: _, ...asked } = any;
        const checked = await orRefused(() => checkDraft(asked));
        if (checked === null) return;
        const made = await writeSkillText({ name: "a", version: "2.0.10", draft: checked, before, path });
        const read = await readSkillText(made, path);
        expect(read?.warnings).toEqual([]);
        expect(read?.skill.metadata["tags"]).toEqual(["x"]);
        expect(read?.skill.keywords).toEqual(checked.keywords ?? ["k"]);
        expect(read?.skill.description).toBe(checked.description ?? "Kept");
        expect(read?.skill.body).toBe(checked.body);
      }),
      { numRuns: 300 },
    );
  });
});
