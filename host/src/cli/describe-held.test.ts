import { describe, expect, it } from "vitest";
import type { HeldDefinition } from "../kernel/bundle-admin.ts";
import { describeHeld } from "./describe-held.ts";
import type { Paint } from "./terminal.ts";

const plain = (text: string): string => text;
const PAINT = { bold: plain, dim: plain, red: plain, green: plain, yellow: plain } as unknown as Paint;

const heldOf = (before: string | null, after: string): HeldDefinition => ({
  tool: "echo",
  reason: before === null ? "definition_new" : "definition_changed",
  accepted: before === null ? null : "sha256:a",
  offered: "sha256:b",
  before: before === null ? null : { description: before },
  after: { description: after },
});

describe("a held definition", () => {
  it("is shown line by line, with both hashes", () => {
    expect(describeHeld("p", heldOf("One.\nTwo.", "One.\nThree."), PAINT)).toEqual([
      "p: echo (changed)",
      "  accepted sha256:a",
      "  offered  sha256:b",
      "    {",
      '      "description": "One.\\n',
      '  -       │ Two."',
      '  +       │ Three."',
      "    }",
    ]);
  });

  it.each([
    ["tags", "ok\u{E0052}\u{E0045}", "ok\\u{e0052}\\u{e0045}"],
    ["what has no width", "o\u200bk\u2060", "o\\u{200b}k\\u{2060}"],
    ["what turns the direction", "\u202eok\u2066", "\\u{202e}ok\\u{2066}"],
    ["selectors", "ok\ufe0f\u{E0101}", "ok\\u{fe0f}\\u{e0101}"],
    ["signs of private use", "ok\ue000", "ok\\u{e000}"],
    ["escape sequences", "ok\u001b[2K", "ok\\u001b[2K"],
  ])("hides nothing from the person that a model would read: %s", (_, text, shown) => {
    const lines = describeHeld("p", heldOf("ok", text), PAINT).join("\n");
    expect(lines).toContain(`+   "description": "${shown}"`);
  });

  it("that is new is shown whole", () => {
    const lines = describeHeld("p", heldOf(null, "New."), PAINT);
    expect(lines).toContain('  +   "description": "New."');
    expect(lines.filter((line) => line.startsWith("  -"))).toEqual([]);
  });
});
