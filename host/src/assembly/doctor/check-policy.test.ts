import { parseConfig, type Config } from "@bailiwick/contract";
import { expect, it } from "vitest";
import { checkPolicy } from "./check-policy.ts";

const policyOf = (policy: object): Config["policy"] => {
  const { config, errors } = parseConfig(JSON.stringify({ policy }), { dialect: "bailiwick" });
  if (config === null) throw new Error(JSON.stringify(errors));
  return config.policy;
};

it("a policy that can be used is fine", () => {
  expect(checkPolicy(policyOf({}))).toMatchObject([{ name: "policy", state: "ok" }]);
});

it("an entry that cannot be used fails by its place", () => {
  const [check, ...more] = checkPolicy(policyOf({ capabilities: { p__t: { risk_tier: "enormous" } } }));
  expect(check).toMatchObject({ state: "fail", message: expect.stringContaining("policy.capabilities.p__t") });
  expect(check?.fix).toContain("bailiwick policy check");
  expect(more).toEqual([]);
});

it("the audit mode is a warning as long as it lasts", () => {
  expect(checkPolicy(policyOf({ mode: "audit" }))).toMatchObject([{ state: "warn" }]);
});
