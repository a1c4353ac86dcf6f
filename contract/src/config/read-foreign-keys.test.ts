import { describe, expect, test } from "vitest";
import { formatFinding } from "./finding.ts";
import { parseConfig } from "./parse-config.ts";

const read = (file: unknown) => parseConfig(JSON.stringify(file), { dialect: "nimblebrain" });

describe("a nimblebrain.json", () => {
  test("has its default model read", () => {
    const reading = read({ models: { default: "openai:x", fast: "y" } });
    expect(reading.config?.defaultModel).toBe("openai:x");
    expect(reading.notes.map(formatFinding)).toEqual(["/models/fast: understood and not used"]);
    expect(reading.warnings).toEqual([]);
  });

  test("keeps defaultModel when both are there, and says so", () => {
    const reading = read({ defaultModel: "a", models: { default: "b" } });
    expect(reading.config?.defaultModel).toBe("a");
    expect(reading.notes.map(formatFinding)).toEqual(["/models/default: not used, because defaultModel is set"]);
  });

  test.each([
    [{ models: "x" }, '/models: expected an object with the member default, found "x"'],
    [{ models: { default: 5 } }, "/models/default: expected a string, found 5"],
  ])("is refused for %j", (file, error) => {
    const reading = read(file);
    expect(reading.errors.map(formatFinding)).toEqual([error]);
    expect(reading.config).toBeNull();
  });

  test("has each key that is of no use here named once", () => {
    const keys = [
      "telemetry",
      "home",
      "skills",
      "sessionStore",
      "usage",
      "connectors",
      "modelPolicy",
      "thinking",
      "thinkingBudget",
    ];
    const reading = read(Object.fromEntries(keys.map((key) => [key, {}])));
    expect(reading.notes.map(formatFinding)).toEqual(keys.map((key) => `/${key}: understood and not used`));
    expect(reading.warnings).toEqual([]);
    expect(reading.config).not.toBeNull();
  });

  test("keeps bundles, skillDirs, agents and noDefaultBundles", () => {
    const file = {
      bundles: [{ path: "a" }],
      skillDirs: ["s"],
      agents: { a: { description: "d", systemPrompt: "p", tools: [] } },
      noDefaultBundles: true,
    };
    expect(read(file).config).toMatchObject(file);
    expect(read(file).notes).toEqual([]);
  });

  test("is as strict as the other about everything else", () => {
    expect(read({ maxDirectTool: 1 }).warnings.map(formatFinding)).toEqual([
      '/maxDirectTool: unknown key, ignored; did you mean "maxDirectTools"?',
    ]);
    expect(read({ version: "2" }).config).toBeNull();
  });
});

test("in a bailiwick.json the same keys are unknown", () => {
  const reading = parseConfig('{"telemetry":{},"models":{"default":"x"}}', { dialect: "bailiwick" });
  expect(reading.notes).toEqual([]);
  expect(reading.warnings.map((finding) => finding.pointer)).toEqual(["/telemetry", "/models"]);
  expect(reading.config?.defaultModel).toBe("claude-sonnet-4-5-20250929");
});
