import { describe, expect, it } from "vitest";
import { judgeHostResources } from "./judge-host-resources.ts";
import { openBench } from "./policy-for-tests.ts";

const judged = (policy: object): string => {
  const ask = { workspace: "ws_default", bundle: "notes", uri: "files://fl_1" };
  const { refusal, suspended } = judgeHostResources(openBench(policy).book, ask);
  return `${refusal?.kind ?? "given"}${suspended === null ? "" : ` in spite of ${String(suspended.details["matched_rule"])}`}`;
};
const ruled = (match: object, effect = "deny") => judged({ rules: [{ id: "r", match, effect }] });

describe("a bundle that asks for the host's resources", () => {
  it.each([
    [{}, "policy_denied"],
    [{ operations: ["host-resources"] }, "policy_denied"],
    [{ operations: ["call", "read"] }, "given"],
    [{ principals: ["bundle:notes"] }, "policy_denied"],
    [{ principals: ["bundle:other"] }, "given"],
    [{ principals: ["bundle://ws_default/notes"] }, "policy_denied"],
    [{ principals: ["bundle:ws_other/*"] }, "given"],
    [{ resources: ["files://*"] }, "policy_denied"],
    [{ resources: ["doc://*"] }, "given"],
    [{ doors: ["mcp"] }, "given"],
    [{ tools: ["billing__*"] }, "given"],
  ])("is denied them by %j: %s", (match, expected) => {
    expect(ruled(match)).toBe(expected);
  });

  it("is given them by the shipped rule, and not without one, nor where somebody would have to be asked", () => {
    expect(judged({})).toBe("given");
    expect(judged({ shipped: false })).toBe("policy_denied");
    for (const mode of ["enforce", "audit"]) {
      const rules = [{ id: "r", match: { operations: ["host-resources"] }, effect: "require_approval" }];
      expect(judged({ mode, rules })).toBe("policy_denied");
    }
  });

  it("is given them in audit mode, and what would deny them is told", () => {
    const rules = [{ id: "never", match: { operations: ["host-resources"] }, effect: "deny" }];
    expect(judged({ mode: "audit", rules })).toBe("given in spite of never");
    expect(judged({ mode: "audit", shipped: false })).toBe("given in spite of default:deny");
    expect(judged({ mode: "audit" })).toBe("given");
  });
});
