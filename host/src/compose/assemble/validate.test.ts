import { describe, expect, it } from "vitest";
import { checkConfig } from "../configs/check-config.ts";
import { contentConfig } from "../configs/configs-for-tests.ts";
import { validateConfig } from "./validate-config.ts";
import { validateText } from "./validate-text.ts";

const codesOf = ({ issues }: { issues: readonly { severity: string; code: string }[] }): string[] =>
  issues.map(({ severity, code }) => `${severity}:${code}`);
const validate = (text: string, rules: readonly unknown[] = [], format = "text") =>
  validateText({ text, format, rules });
const GOOD = "A text that is long enough.";

describe("a stored text", () => {
  it.each([
    [GOOD, true, []],
    ["", false, ["error:content_empty"]],
    [" \n ", false, ["error:content_empty"]],
    ["short", true, ["warning:content_very_short"]],
    ["a longer text that ends...\n", true, ["warning:content_incomplete"]],
    ["and [TBD] in the middle of it", true, ["warning:content_incomplete"]],
    ["x...", true, ["warning:content_very_short", "warning:content_incomplete"]],
  ])("%j is valid: %j", async (text, valid, codes) => {
    const found = await validate(text);
    expect([found.valid, codesOf(found)]).toEqual([valid, codes]);
  });

  it.each([
    [{ type: "length", config: { min: 100 } }, ["error:content_too_short"]],
    [{ type: "length", config: { max: 5 }, severity: "warning" }, ["warning:content_too_long"]],
    [{ type: "length", config: { min: 27, max: 27 } }, []],
    [
      { type: "required_fields", config: { fields: ["long", "absent", "gone"] } },
      ["error:missing_required_field", "error:missing_required_field"],
    ],
    [{ type: "pattern", config: { regex: "^A .*enough\\.$" } }, []],
    [{ type: "pattern", config: { regex: "^enough" }, severity: "info" }, ["info:pattern_mismatch"]],
    [{ type: "spelling", config: {} }, ["warning:unknown_rule_type"]],
    [{ type: "toString" }, ["warning:unknown_rule_type"]],
    [{ type: "length" }, ["error:invalid_rule"]],
    [{ type: "length", config: { min: -1 } }, ["error:invalid_rule"]],
    [{ type: "length", config: { min: 2, max: 1 } }, ["error:invalid_rule"]],
    [{ type: "required_fields", config: { fields: "a" } }, ["error:invalid_rule"]],
    [{ type: "pattern", config: { regex: "(" } }, ["error:invalid_rule"]],
    [{ type: "pattern", config: { regex: "(a)\\1" } }, ["error:invalid_rule"]],
    [{ type: "pattern", config: { regex: "a".repeat(3_000) } }, ["error:invalid_rule"]],
    [{ type: "length", severity: "fatal", config: { min: 1 } }, ["error:invalid_rule"]],
    [7, ["error:invalid_rule"]],
  ])("is held to the rule %j", async (rule, codes) => {
    const found = await validate(GOOD, [rule]);
    expect(codesOf(found)).toEqual(codes);
    expect(found.valid).toBe(!codes.some((code) => code.startsWith("error")));
    expect(found.error_count + found.warning_count + found.info_count).toBe(codes.length);
  });

  it("that is data has its members as fields", async () => {
    const rules = [{ type: "required_fields", config: { fields: ["a.b", "c", "d"] } }];
    for (const [text, format] of [
      ['{"a":{"b":1},"c":null,"x":"d"}', "json"],
      ["a:\n  b: 1\nx: d", "yaml"],
    ] as const) {
      const { issues } = await validate(text, rules, format);
      expect(issues.map(({ details }) => details["field"])).toEqual(["c", "d"]);
    }
  });

  it("and a rule that would take for ever are told apart in the end", async () => {
    const found = await validate("a".repeat(1_000_000), [{ type: "pattern", config: { regex: "(a?){500}(a*)*b" } }]);
    expect(codesOf(found)).toEqual(["error:invalid_rule"]);
  });
});

describe("a config", () => {
  const check = (over: Readonly<Record<string, unknown>>, rules: readonly unknown[] = []) => {
    const data = { ...contentConfig(over) };
    const reading = checkConfig("content", data, () => null);
    return validateConfig({ data, text: JSON.stringify(data), reading, rules });
  };
  const own = (check_type: string, target: string, check_config: object = {}, severity = "error") => ({
    elements: [{ name: "body", example_output: '{"a": 1}' }, { name: "empty" }],
    validation: { rules: [{ id: "r", check_type, target, check_config, severity }] },
  });

  it("that breaks its schema is told each violation", async () => {
    const found = await check({ elements: [], metadata: {} });
    expect(found.valid).toBe(false);
    expect(new Set(codesOf(found))).toEqual(new Set(["error:schema_validation_failed"]));
    expect(found.issues.map(({ location }) => location).toSorted()).toEqual([
      "/elements",
      "/metadata/description",
      "/metadata/version",
    ]);
  });

  it.each([
    [own("presence", "metadata.description"), []],
    [own("presence", "elements.body.example_output"), []],
    [own("presence", "elements.0.name"), []],
    [own("presence", "body"), []],
    [own("presence", "empty"), ["error:missing_required_field"]],
    [own("presence", "elements.empty.example_output", {}, "warning"), ["warning:missing_required_field"]],
    [own("presence", "constructor"), ["error:missing_required_field"]],
    [own("format", "metadata.description", { pattern: "^A .*\\.$" }), []],
    [own("format", "metadata.description", { pattern: "^B" }), ["error:pattern_mismatch"]],
    [own("format", "metadata.description"), ["error:invalid_rule"]],
    [own("syntax", "body", { format: "json" }), []],
    [own("syntax", "metadata.description", { format: "json" }, "info"), ["info:syntax_invalid"]],
    [own("syntax", "body", { format: "yaml" }), []],
    [own("syntax", "body", { format: "cobol" }), ["error:invalid_rule"]],
  ])("is held to its own rules: %j", async (over, codes) => {
    expect(codesOf(await check(over))).toEqual(codes);
  });

  it("is held to the caller's rules, and warned of what changes nothing", async () => {
    const rules = [{ type: "required_fields", config: { fields: ["metadata.version", "evolution.stage"] } }];
    expect(codesOf(await check({ nonsense: 1 }, rules))).toEqual([
      "warning:unknown_key",
      "error:missing_required_field",
    ]);
  });
});
