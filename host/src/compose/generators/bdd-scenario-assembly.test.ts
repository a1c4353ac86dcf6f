import { describe, expect, it } from "vitest";
import { patternConfig } from "../configs/configs-for-tests.ts";
import { bddScenarioAssembly } from "./bdd-scenario-assembly.ts";
import { runForTests } from "./run-for-tests.ts";

const type = "bdd_scenario_assembly";
const write = (settings: Record<string, unknown>, context: Record<string, unknown> = {}): string =>
  runForTests(bddScenarioAssembly, patternConfig({ type, generation_config: settings }), { type, context });

const scenarios = [{ title: "One", steps: ["Given a"] }];

const WHOLE = `@smoke @auth
Feature: Login for Ann
  As a user Ann
  I log in

  And out again

Background:
  Given the page is open

@happy
Scenario: One
  Given I am Ann
  When I enter {{nothing}}
  Then I see "$&"
  * it works

Scenario Outline: Two
  Given <a>

  Examples:
    | a | b |
    | 1 | true |
    | Ann | x |`;

describe("a feature", () => {
  it("is written whole, with placeholders filled everywhere", () => {
    const text = write(
      {
        feature: {
          title: "Login for {{ name }}",
          description: "As a user {{name}}\nI log in\n\n  And out again\n",
          tags: ["@smoke", "{{tag}}"],
        },
        background: ["Given the page is open"],
        scenarios: [
          {
            title: "One",
            tags: ["happy"],
            steps: ["Given I am {{name}}", "When I enter {{nothing}}", 'Then I see "{{sign}}"', "* it works"],
          },
        ],
        scenario_outlines: [
          {
            title: "Two",
            steps: ["Given <a>"],
            examples: {
              headers: ["a", "b"],
              rows: [
                [1, true],
                ["{{name}}", "x"],
              ],
            },
          },
        ],
      },
      { name: "Ann", tag: "auth", sign: "$&" },
    );
    expect(text).toBe(WHOLE);
  });

  it("has a title, whatever it is given", () => {
    expect(write({ feature: {}, scenarios })).toBe("Feature: Untitled Feature\n\nScenario: One\n  Given a");
  });

  const outline = { title: "O", steps: ["Given a"] };
  it.each([
    [{ scenarios }, /has no feature/],
    [{ feature: {} }, /has no scenario/],
    [{ feature: {}, scenarios: [], scenario_outlines: [] }, /has no scenario/],
    [{ feature: {}, scenarios: [{ steps: ["Given a"] }] }, /Scenario has no title/],
    [{ feature: {}, scenarios: [{ title: "T" }] }, /Scenario 'T' has no steps/],
    [{ feature: {}, scenarios: [{ title: "T", steps: [] }] }, /Scenario 'T' has no steps/],
    [{ feature: {}, scenarios: [7] }, /Scenario has no title/],
    [{ feature: {}, scenarios: "x" }, /scenarios must be a list/],
    [{ feature: {}, scenario_outlines: [outline] }, /Scenario Outline 'O' has no examples/],
    [{ feature: {}, scenario_outlines: [{ ...outline, examples: { rows: [] } }] }, /has no examples/],
    [{ feature: {}, scenario_outlines: [{ ...outline, steps: ["go <a>"] }] }, /Invalid step keyword: 'go'/],
    [{ feature: { tags: ["1st"] }, scenarios }, /Invalid tag format: '@1st'/],
    [{ feature: { tags: ["a b"] }, scenarios }, /Invalid tag format/],
    [{ feature: { tags: ["a\nScenario: x"] }, scenarios }, /Invalid tag format/],
    [{ feature: {}, scenarios: [{ title: "T", steps: ["Giving a"] }] }, /Invalid step keyword: 'Giving'/],
    [{ feature: {}, scenarios: [{ title: "T", steps: ["{{x}} a"] }] }, /Invalid step keyword: '\{\{x\}\}'/],
    [{ feature: {}, scenarios: [{ title: "T", steps: [" "] }] }, /Empty step/],
    [{ feature: {}, background: [""], scenarios }, /Empty step/],
  ])("%j is an error", (settings, message) => {
    expect(() => write(settings)).toThrow(
      expect.objectContaining({ code: "generation_failed", message: expect.stringMatching(message) }),
    );
  });
});
