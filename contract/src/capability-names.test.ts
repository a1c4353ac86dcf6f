import { expect, it } from "vitest";
import { findCapabilitiesFault } from "./capability-names.ts";
import { parseConfig } from "./config/parse-config.ts";

const many = (count: number): string[] => Array.from({ length: count }, (_, n) => `c${n}`);

it.each<[string, unknown, string]>([
  ["a text", "usd", "no list"],
  ["nothing", undefined, "no list"],
  ["an empty name", ["usd", ""], "entry 1"],
  ["a number", [1], "entry 0"],
  ["a line break", ["usd\n"], "entry 0"],
  ["an escape of the second set", ["\u009B2J"], "entry 0"],
  ["too long a name", ["x".repeat(257)], "entry 0"],
  ["too many", many(1_001), "1000"],
])("%s is no list of capabilities, neither here nor in the configuration", (_, names, named) => {
  expect(findCapabilitiesFault(names)).toContain(named);
  if (names === undefined) return;
  for (const capabilities of [{ declared: names }, { providers: { maya: names } }, { require: { "*": names } }]) {
    const { errors } = parseConfig(JSON.stringify({ capabilities }), { dialect: "bailiwick" });
    expect(errors.map(({ pointer }) => pointer).join()).toContain("/capabilities/");
  }
});

it.each<[string, readonly string[]]>([
  ["nothing", []],
  ["what is blank", [" "]],
  ["the longest", ["x".repeat(256), "\u{1F600}".repeat(256)]],
  ["as many as may be", many(1_000)],
])("%s can be declared, here as in the configuration", (_, declared) => {
  expect(findCapabilitiesFault(declared)).toBeNull();
  const { config, errors } = parseConfig(JSON.stringify({ capabilities: { declared } }), { dialect: "bailiwick" });
  expect([errors, config?.capabilities.declared]).toEqual([[], declared]);
});
