import { expect, it } from "vitest";
import { demandOf } from "./demand-of.ts";
import { callOf, demand, MARIA } from "./room-for-tests.ts";

const autonomy = (tier: string) => ({ autonomy: { tier, actionLimit: null, spendLimit: null, spendUnits: null } });
const form = demand({ rule: "manager_approval", approvers: [["role:manager"]], fourEyes: true, ttlS: 60 });

it.each([
  ["nothing", { demand: null }, null],
  ["a rule", { demand: demand({ rule: "refunds" }) }, "refunds"],
  ["approval_required", { demand: null, capability: { approvalRequired: true } }, "approval_required"],
  [
    "approval_required in a form of its own",
    { demand: null, capability: { approvalRequired: true, approval: form } },
    "manager_approval",
  ],
  ["a form alone", { demand: null, capability: { approval: form } }, null],
  [
    "the tier approval_required",
    { demand: null, capability: autonomy("approval_required") },
    "autonomy:approval_required",
  ],
  [
    "the tier approval_required, a person calling",
    { demand: null, by: MARIA, capability: autonomy("approval_required") },
    "autonomy:approval_required",
  ],
  [
    "the tier human_driven, an agent calling",
    { demand: null, capability: autonomy("human_driven") },
    "autonomy:human_driven",
  ],
  ["the tier human_driven, a person calling", { demand: null, by: MARIA, capability: autonomy("human_driven") }, null],
  ["another tier", { demand: null, capability: autonomy("supervised") }, null],
])("%s", (_, parts, rule) => {
  expect(demandOf(callOf(parts))?.rule ?? null).toBe(rule);
});

it("several demands add up to the strictest", () => {
  const parts = {
    demand: demand({ rule: "refunds", count: 2 }),
    capability: { approvalRequired: true, approval: form },
  };
  expect(demandOf(callOf(parts))).toEqual({
    rule: "manager_approval+refunds",
    approvers: [["role:manager"]],
    count: 2,
    fourEyes: true,
    ttlS: 60,
  });
});

it("the form that an overlay gives approvals binds whoever demands one", () => {
  const refunds = demand({ rule: "refunds", count: 2 });
  const strict = { approvers: [["role:manager"]], count: 2, fourEyes: true, ttlS: 60 };
  expect(demandOf(callOf({ demand: refunds, capability: { approval: form } }))).toMatchObject(strict);
  const driven = { ...autonomy("human_driven"), approval: form };
  expect(demandOf(callOf({ demand: refunds, by: MARIA, capability: driven }))).toMatchObject(strict);
});
