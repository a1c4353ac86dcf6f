import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkExport } from "../plugins/check-export.ts";
import { GENERATOR_PLUGIN_SCHEMA } from "./generator-plugin-schema.ts";

const isValid = new Ajv2020({ strict: true, strictRequired: false, strictTypes: false, allowUnionTypes: true }).compile(
  GENERATOR_PLUGIN_SCHEMA,
);

const isTaken = (members: object): boolean => {
  const type = "type" in members && typeof members.type === "string" ? members.type : "mine";
  return checkExport({ members, generates: true, name: `${type}.generator.mjs`, type }).ok;
};

describe("schema://generator-plugin", () => {
  it.each([
    [{ type: "mine", version: "1" }, true],
    [{ type: "mine", version: "1", extra: 1 }, true],
    [{ type: "mine" }, false],
    [{ version: "1" }, false],
    [{ type: "jinja2", version: "1" }, false],
    [{ type: "decision_tree", version: "1" }, false],
    [{ type: "Mine", version: "1" }, false],
    [{ type: "mine", version: "x".repeat(65) }, false],
    [{ type: "mine", version: "1", description: "" }, false],
    [{ type: "mine", version: "1", upstream_dependencies: { credentials_required: ["A-B"] } }, false],
    [{ type: "mine", version: "1", upstream_dependencies: { expected_latency_ms: { p95: 0 } } }, false],
  ])("of %j says %s, as the host does", (members, verdict) => {
    expect([isValid(members), isTaken(members)]).toEqual([verdict, verdict]);
  });

  it("says of every plug-in what the host says when it loads it", () => {
    const maybe = (value: fc.Arbitrary<unknown>) =>
      fc.oneof({ weight: 4, arbitrary: value }, { weight: 1, arbitrary: odd });
    const odd = fc.constantFrom<unknown>(null, "", 0, 1, true, [], {}, "x", ["x"], [""], [1], "x".repeat(501));
    const lines = fc.array(fc.constantFrom("a", "API_KEY", "x y"), { maxLength: 3 });
    const some = (members: Record<string, fc.Arbitrary<unknown>>) =>
      fc.record(Object.fromEntries(Object.entries(members).map(([key, value]) => [key, maybe(value)])), {
        requiredKeys: [],
      });
    const latency = some({ p50: fc.constant(5), p95: fc.constant(0.5) });
    const members = fc.record(
      {
        type: fc.constantFrom("mine", "a_b-c", "list", "plugins", "template_fill", "9", "a".repeat(65)),
        version: maybe(fc.constant("1.0.0")),
        description: maybe(fc.constant("It is mine.")),
        status: maybe(fc.constantFrom("stable", "experimental", "deprecated", "beta")),
        capabilities: maybe(lines),
        best_for: maybe(lines),
        indicators: maybe(
          some({
            config_field: fc.constant("a"),
            config_values: lines,
            template_patterns: lines,
            confidence: fc.constantFrom("high", "low", "none"),
            excludes: lines,
          }),
        ),
        requirements: maybe(some({ fields: lines, dependencies: lines, env_vars: lines })),
        upstream_dependencies: maybe(
          some({
            services: lines,
            credentials_required: lines,
            optional_services: lines,
            expected_latency_ms: latency,
            stability: fc.constantFrom("beta", "alpha"),
            concurrency_safe: fc.boolean(),
          }),
        ),
      },
      { requiredKeys: ["type", "version"] },
    );
    fc.assert(
      fc.property(members, (given) => {
        expect(isValid(given)).toBe(isTaken(given));
      }),
      { numRuns: 2_000 },
    );
  });
});
