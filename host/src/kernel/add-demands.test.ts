import { expect, it } from "vitest";
import { addDemands } from "./add-demands.ts";
import type { ApprovalDemand } from "./capability.ts";

const demand = (rule: string, more: Partial<ApprovalDemand> = {}): ApprovalDemand => ({
  rule,
  approvers: null,
  count: 1,
  fourEyes: false,
  ttlS: 3_600,
  ...more,
});
const managers = [["role:manager"]];

it.each<[string, ApprovalDemand, ApprovalDemand, string]>([
  ["a shipped rule that adds nothing", demand("mine", { approvers: managers }), demand("shipped:risk"), "mine"],
  ["a shipped rule that asks for the same", demand("shipped:risk"), demand("mine"), "mine"],
  ["a rule that a stricter one holds", demand("a"), demand("b", { fourEyes: true }), "b"],
  ["neither of two that ask for the same", demand("a"), demand("b"), "a+b"],
  ["neither of two that add to each other", demand("a", { count: 2 }), demand("b", { fourEyes: true }), "a+b"],
  ["a shipped one that adds something", demand("a", { count: 2 }), demand("shipped:x", { ttlS: 60 }), "a+shipped:x"],
])("the name leaves out %s", (_, a, b, rule) => {
  expect(addDemands(a, b)?.rule).toBe(rule);
  expect(addDemands(b, a)?.rule.split("+").toSorted()).toEqual(rule.split("+").toSorted());
});

it("the strictest of everything counts", () => {
  const sum = addDemands(
    demand("a", { approvers: managers, count: 2, ttlS: 60 }),
    demand("b", { approvers: [["person:ann"]], fourEyes: true }),
  );
  expect(sum).toMatchObject({ approvers: [["role:manager"], ["person:ann"]], count: 2, fourEyes: true, ttlS: 60 });
});
