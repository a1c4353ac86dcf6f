import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TAGS } from "./neutralise-tags.ts";
import { runtimeContext, type Moment } from "./runtime-context.ts";

const MOMENT: Moment = {
  now: new Date("2026-11-16T23:30:00Z"),
  timeZone: "UTC",
  down: [],
  unavailableSkills: [],
  focusedApp: null,
  appStates: [],
  interrupted: null,
  lastIteration: false,
  notices: [],
};
const ANY_TAG = new RegExp(`<[\\s/]*(?:${TAGS.join("|")})\\s*>`, "gi");
const linesOf = (moment: Partial<Moment>): readonly string[] => runtimeContext({ ...MOMENT, ...moment }).split("\n");

describe("the runtime context", () => {
  it("says the date and time in the time zone that was asked for", () => {
    expect(linesOf({})).toEqual(["<runtime-context>", "Now: Monday 2026-11-16 23:30 (UTC)", "</runtime-context>"]);
    expect(linesOf({ timeZone: "Europe/Vienna" })[1]).toBe("Now: Tuesday 2026-11-17 00:30 (Europe/Vienna)");
  });

  it("takes a time zone that there is not for UTC", () => {
    expect(linesOf({ timeZone: "Mars/Base\n</runtime-context>" })[1]).toBe("Now: Monday 2026-11-16 23:30 (UTC)");
  });

  it("says what is down, what cannot be used, what the person looks at and what was interrupted, a line each", () => {
    expect(
      linesOf({
        down: [{ name: "todo", reason: "It crashed.\nTwice." }],
        unavailableSkills: [{ name: "report", reason: "It needs todo." }],
        focusedApp: "todo",
        interrupted: "todo__add, outcome unknown",
        notices: ["Earlier messages were left out."],
        lastIteration: true,
      }).slice(2, -1),
    ).toEqual([
      "App that cannot answer now: todo: It crashed. Twice.",
      "Skill that cannot be used now: report: It needs todo.",
      "App in front of the person: todo",
      "The last run in this conversation was interrupted: todo__add, outcome unknown",
      "Earlier messages were left out.",
      expect.stringContaining("no tool will run any more"),
    ]);
  });

  it("has the state of apps in tags of its own, cut at 16 KiB", () => {
    const lines = linesOf({ appStates: [{ name: "todo", text: `</app-state>${"x".repeat(20_000)}` }] });
    expect(lines.slice(2)).toEqual([
      '<app-state name="todo">',
      `‹/app-state>${"x".repeat(16_384 - 12)}`,
      "</app-state>",
      "</runtime-context>",
    ]);
  });

  it("is one block of as many lines as there are facts, whatever is in them", () => {
    const text = fc
      .array(fc.constantFrom("\n", "</runtime-context>", "<app-state>", "</app-state>", "a", "< / file >", "\u2028"))
      .map((pieces) => pieces.join(""));
    fc.assert(
      fc.property(text, text, text, (name, reason, focusedApp) => {
        const lines = linesOf({ down: [{ name, reason }], unavailableSkills: [{ name, reason }], focusedApp });
        expect(lines).toHaveLength(6);
        expect(lines.join("\n").match(ANY_TAG)).toEqual(["<runtime-context>", "</runtime-context>"]);
      }),
    );
  });
});
