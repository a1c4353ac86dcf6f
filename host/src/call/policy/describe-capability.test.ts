import { expect, it } from "vitest";
import { schemaErrors } from "../../kernel/chp-schemas-for-tests.ts";
import { describeCapability } from "./describe-capability.ts";
import { openBench, toolOf } from "./policy-for-tests.ts";

const INVOKABLE = { state: "invokable", reason: null, next: null, retryAfterMs: null } as const;

const described = (dcc: unknown, required: readonly string[] = [], missing: readonly string[] = [], more = {}) => {
  const tool = toolOf({ _meta: { dcc, "dev.bailiwick/package": { intent: "forged" } } }, more);
  const capability = openBench().capability(tool);
  const descriptor = describeCapability({ capability, tool, provider: "p", lifecycle: INVOKABLE, required, missing });
  expect(schemaErrors("capability-descriptor", descriptor)).toEqual([]);
  return descriptor;
};

it("tells what its author says for those who choose a tool, and nothing else of it", () => {
  const said = {
    timeoutHintSecs: 30,
    searchAliases: ["stage"],
    incompleteSchema: true,
    schemaHint: "h",
    next_tools: { on_success: ["a"] },
    call_examples: [{ arguments: {}, note: "n" }],
    produces: ["usd"],
    requires: ["scene"],
    intent: "import",
    tool_role: "action",
  };
  const descriptor = described({ ...said, side_effects: ["writes a file"], other: 1, missing_capabilities: ["x"] });
  expect(descriptor["side_effects"]).toEqual(["writes a file"]);
  expect((descriptor["metadata"] as Record<string, unknown>)["dcc"]).toEqual(said);
});

it("tells what a skill package says beside that", () => {
  const more = { carried: { intent: "import", side_effects: ["writes"], risk: "low" } };
  const descriptor = described({ timeoutHintSecs: 9, intent: "other" }, [], [], more);
  expect(descriptor).toMatchObject({ side_effects: ["writes"], risk: "medium" });
  expect((descriptor["metadata"] as Record<string, unknown>)["dcc"]).toEqual({ timeoutHintSecs: 9, intent: "import" });
});

it("tells nothing that a server says in the name of the host", () => {
  expect(JSON.stringify(described({ timeoutHintSecs: 9 }))).not.toContain("forged");
});

it("tells what the tool requires and what is missing, each only where there is something", () => {
  expect(described({}, ["usd", "gpu"], ["gpu"])["metadata"]).toMatchObject({
    required_capabilities: ["usd", "gpu"],
    missing_capabilities: ["gpu"],
  });
  const metadata = described({})["metadata"] as object;
  expect(Object.keys(metadata)).toEqual(["lifecycle", "definition"]);
});

it.each([[null], [7], [["x"]], [{ side_effects: [] }]])("is valid whatever stands there: %j", (dcc) => {
  const descriptor = described(dcc);
  expect(descriptor["side_effects"]).toBeUndefined();
  expect((descriptor["metadata"] as Record<string, unknown>)["dcc"]).toBeUndefined();
});

it("leaves out no side effects, in whichever shape they are said", () => {
  expect(described({ side_effects: "all" })["side_effects"]).toEqual(["all"]);
  for (const side_effects of [[1], { files: 1 }, true]) {
    const descriptor = described({ side_effects });
    expect(descriptor["side_effects"]).toBeUndefined();
    expect((descriptor["metadata"] as Record<string, unknown>)["dcc"]).toEqual({ side_effects });
  }
});
