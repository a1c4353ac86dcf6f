import { expect, it } from "vitest";
import { deriveCapability } from "./derive-capability.ts";
import { openBench, providerOf, toolOf } from "./policy-for-tests.ts";

const DESTROYS = { annotations: { destructiveHint: true } };

it.each([
  [{}, undefined, "medium"],
  [{}, "low", "medium"],
  [{}, "medium", "medium"],
  [{}, "high", "high"],
  [{}, "critical", "critical"],
  [DESTROYS, "low", "high"],
  [DESTROYS, "critical", "critical"],
] as const)("a tool that says %j with the floor %s is of risk %s", (value, riskFloor, risk) => {
  const tool = toolOf(value, riskFloor === undefined ? {} : { riskFloor });
  expect(deriveCapability(providerOf(), tool, "billing__refund").risk).toBe(risk);
});

it("what configuration says about its risk never goes below its floor", () => {
  const tool = toolOf({}, { riskFloor: "high" });
  const riskWith = (risk: string) => openBench({ capabilities: { billing__refund: { risk } } }).capability(tool).risk;
  expect([riskWith("critical"), riskWith("low")]).toEqual(["critical", "high"]);
  const hinted = toolOf({ annotations: { destructiveHint: true } }, { riskFloor: "low" });
  const lowered = openBench({ capabilities: { billing__refund: { risk_tier: "low" } } });
  expect([lowered.capability(hinted).risk, lowered.capability(toolOf(DESTROYS)).risk]).toEqual(["low", "low"]);
});
