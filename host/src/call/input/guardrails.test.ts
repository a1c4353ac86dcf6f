import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { Refusal } from "../../kernel/refusal.ts";
import { NO_ROOTS } from "../../kernel/roots-for-tests.ts";
import type { Permitted } from "../../kernel/stages.ts";
import { checkOutput } from "./check-output.ts";
import type { WrittenGuardrails } from "./guardrails.ts";
import { createInput } from "./input.ts";

const callOf = (args: object): Permitted =>
  ({
    args,
    operation: "call",
    required: [],
    argsJson: null,
    principal: { workspace: "ws_default" },
    target: {
      flatName: "shop__order",
      capability: { id: "order" },
      tool: { definition: "sha256:0", value: { name: "order", inputSchema: { required: ["a"] } } },
    },
  }) as unknown as Permitted;

const stageOf = (...guardrails: object[]) => {
  const written = guardrails.map((each, i) =>
    Object.assign({ id: `g${i}`, tools: ["shop__*"] }, each),
  ) as WrittenGuardrails;
  return createInput({ guardrailsOf: () => written, rootsOf: NO_ROOTS });
};

const endOf = (stage: ReturnType<typeof stageOf>, args: object): string | readonly string[] => {
  try {
    return stage.run(callOf(args)).guardrails;
  } catch (no) {
    if (no instanceof Refusal) return `${no.kind} ${(no.details["guardrail"] as string | undefined) ?? ""}`;
    throw no;
  }
};

const ABOVE = { path: "/a", op: ">", value: 100 };

describe("guardrails", () => {
  it.each<[object[], object, string | readonly string[]]>([
    [[], { a: 1 }, []],
    [[{ deny_if: [ABOVE] }], { a: 1 }, ["g0"]],
    [[{ deny_if: [ABOVE] }], { a: 101 }, "guardrail_blocked g0"],
    [[{ deny_if: [ABOVE] }], { a: "101" }, "guardrail_blocked g0"],
    [[{ deny_if: [{ path: "/b", op: "=", value: 1 }] }], { a: 1 }, "guardrail_blocked g0"],
    [[{ deny_if: [{ path: "/b", op: "exists" }, ABOVE] }], { a: 101 }, "guardrail_blocked g0"],
    [[{ deny_if: [{ path: "/a", op: "under", value: "/tmp" }] }], { a: 1 }, "guardrail_blocked g0"],
    [[{ deny_if: [{ path: "/a", op: "matches", value: "(" }] }], { a: 1 }, "guardrail_blocked g0"],
    [[{ tools: ["other__*"], deny_if: [ABOVE] }], { a: 101 }, []],
    [[{ requires_human_for: ["order"] }], { a: 1 }, "guardrail_blocked g0"],
    [[{ requires_human_for: ["shop__order"] }], { a: 1 }, "guardrail_blocked g0"],
    [[{ requires_human_for: ["other"] }], { a: 1 }, ["g0"]],
    [[{ deny_if: [ABOVE] }, { requires_human_for: ["order"] }], { a: 1 }, "guardrail_blocked g1"],
  ])("%j for %j", (guardrails, args, expected) => {
    expect(endOf(stageOf(...guardrails), args)).toEqual(expected);
  });

  it("are asked after the schema: arguments that are not valid trigger none", () => {
    expect(endOf(stageOf({ requires_human_for: ["order"] }), {})).toBe("invalid_input ");
  });

  it("are explained by the questions that the stage asks", () => {
    const { checks } = stageOf({ deny_if: [ABOVE] });
    const statuses = checks.map(({ name, judge }) => [name, judge(callOf({ a: 101 }))?.kind ?? "pass"]);
    expect(statuses).toEqual([
      ["schema", "pass"],
      ["workspace_paths", "pass"],
      ["guardrails", "guardrail_blocked"],
    ]);
    expect(checks.map(({ why }) => why(callOf({ a: 1 })))).toEqual(["valid", "it does not work on files", "g0"]);
  });
});

interface OutputCase {
  readonly note: string;
  readonly output_schema: object;
  readonly result: unknown;
  readonly valid: boolean;
}

const VECTOR = new URL("../../../test/vectors/chp/output-schema.json", import.meta.url);
const { cases } = JSON.parse(readFileSync(VECTOR, "utf8")) as { cases: OutputCase[] };

describe("a result against its output schema", () => {
  it.each(cases)("$note", ({ output_schema: outputSchema, result, valid }) => {
    expect(checkOutput({ outputSchema }, result) === null).toBe(valid);
  });

  it("is not vouched for by a schema that cannot be used, and fits where there is none", () => {
    expect(checkOutput({ outputSchema: { $ref: "https://example.invalid/x" } }, {})).toContain("cannot be used");
    expect(checkOutput({}, "anything")).toBeNull();
    expect(checkOutput({ outputSchema: { required: ["a"] } }, { b: 1 })).toBe(
      "the result must have required property 'a'",
    );
  });
});
