import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkExport, checkFileName } from "./check-export.ts";

const check = (members: unknown, generates = true) =>
  checkExport({ members, generates, name: "mine.generator.mjs", type: "mine" });
const own = { type: "mine", version: "1.0.0" };
const messageOf = (members: unknown, generates = true): string => {
  const checked = check(members, generates);
  return checked.ok ? "" : checked.message;
};

describe("what a plug-in exports", () => {
  test("is listed with what it leaves out as it is documented, in the order of the document", () => {
    const checked = check(own);
    const entry = {
      type: "mine",
      name: "mine",
      version: "1.0.0",
      source: "plugin",
      plugin_path: "mine.generator.mjs",
      status: "experimental",
      capabilities: [],
      indicators: { confidence: "low" },
      requirements: { fields: [], dependencies: [], env_vars: [] },
      best_for: [],
      docs_uri: "generator://mine",
      upstream_dependencies: null,
      description: "",
    };
    expect(JSON.stringify(checked)).toBe(JSON.stringify({ ok: true, entry }));
  });

  test("is listed with all that it says", () => {
    const more = {
      ...own,
      description: "Makes mine.",
      status: "stable",
      capabilities: ["a"],
      indicators: {
        config_field: "f",
        config_values: ["v"],
        template_patterns: ["<%"],
        confidence: "high",
        excludes: [],
      },
      requirements: { fields: ["x"], dependencies: ["d"], env_vars: ["E"] },
      best_for: ["this"],
      upstream_dependencies: {
        services: ["s"],
        credentials_required: ["MY_KEY"],
        optional_services: ["o"],
        expected_latency_ms: { p50: 1, p95: 2.5 },
        stability: "beta",
        concurrency_safe: false,
      },
    };
    expect(check(more)).toMatchObject({ ok: true, entry: more });
  });

  test("may name only what it depends on: it is experimental, and its calls may overlap", () => {
    expect(check({ ...own, upstream_dependencies: {} })).toMatchObject({
      entry: {
        upstream_dependencies: {
          services: [],
          credentials_required: [],
          optional_services: [],
          expected_latency_ms: {},
          stability: "experimental",
          concurrency_safe: true,
        },
      },
    });
  });

  test.each([
    [null, "The default export must be an object."],
    [[], "The default export must be an object."],
    [{ version: "1" }, "The type must match"],
    [{ ...own, type: "Mine" }, "The type must match"],
    [{ ...own, type: "list" }, "The type list is reserved"],
    [{ ...own, type: "other" }, "the file must be named other.generator.mjs"],
    [{ type: "mine" }, "version must be a text"],
    [{ ...own, version: "" }, "version must be a text"],
    [{ ...own, version: "1".repeat(65) }, "version must be a text"],
    [{ ...own, status: "new" }, "status must be one of stable, experimental, deprecated"],
    [{ ...own, capabilities: "all" }, "capabilities must be a list"],
    [{ ...own, capabilities: Array.from({ length: 101 }, () => "x") }, "capabilities must be a list of at most 100"],
    [{ ...own, best_for: [1] }, "best_for[0] must be a text"],
    [{ ...own, indicators: { confidence: "sure" } }, "indicators.confidence must be one of"],
    [{ ...own, requirements: [] }, "requirements must be an object"],
    [{ ...own, upstream_dependencies: true }, "upstream_dependencies must be an object"],
    [{ ...own, upstream_dependencies: { credentials_required: ["A=B"] } }, "must name variables"],
    [{ ...own, upstream_dependencies: { concurrency_safe: "no" } }, "must be true or false"],
    [{ ...own, upstream_dependencies: { expected_latency_ms: { p95: 0 } } }, "p95 must be a number above 0"],
  ])("is refused with the reason: %j", (members, reason) => {
    expect(messageOf(members)).toContain(reason);
  });

  test("is refused without a function that generates", () => {
    expect(messageOf(own, false)).toBe("The default export has no function generate.");
  });

  test("never takes the place of a generator of the host, whatever its file is called", () => {
    expect(check({ ...own, type: "jinja2" })).toMatchObject({ ok: false, code: "type_taken" });
    expect(checkFileName("jinja2")).toMatchObject({ ok: false, code: "type_taken" });
  });

  test("whatever it is, is answered", () => {
    const member = fc.oneof(fc.anything(), fc.constant(undefined));
    const members = fc.oneof(
      fc.anything(),
      fc.record({ type: fc.constant("mine"), version: member, indicators: member, upstream_dependencies: member }),
    );
    fc.assert(
      fc.property(members, (value) => {
        expect(check(value).ok).toBeTypeOf("boolean");
      }),
    );
  });
});

describe("a file's name", () => {
  test.each(["a", "a-b_c9", "a".repeat(64)])("may be %s", (type) => expect(checkFileName(type)).toBeNull());
  test.each(["A", "9a", "", "a.b", "a".repeat(65), "../a", "decision_tree", "builtin", "plugins"])(
    "may not be %s",
    (type) => expect(checkFileName(type)).toMatchObject({ code: "invalid_export" }),
  );
});
