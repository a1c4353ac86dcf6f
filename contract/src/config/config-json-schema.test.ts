import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { configJsonSchema } from "./config-json-schema.ts";
import { parseConfig } from "./parse-config.ts";

const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(configJsonSchema());

const WORKED_EXAMPLE = {
  host: { id: "service-ops-host", name: "ServiceOpsHost", version: "0.1.0", kind: "service" },
  auth: {
    principals: {
      "agent:planning-assistant": { permissions: ["service:dispatch"] },
      "person:maria": { roles: ["manager"], permissions: ["approvals:decide"] },
    },
  },
  policy: {
    capabilities: {
      dispatch__schedule_technician: {
        id: "schedule_technician",
        risk_tier: "high",
        approval: { rule: "manager_approval", approvers: ["role:manager"], four_eyes: true },
      },
    },
  },
};

const CHP_FIXTURES = {
  version: "1",
  host: { id: "conformance-host", kind: "service" },
  noDefaultBundles: true,
  chp: {
    listen: { host: "127.0.0.1", port: 8899 },
    mandates: { principals: "any", delegateBinding: "name" },
    fixtures: true,
  },
  auth: {
    chpKeys: ["runner:k", "conformance-scoped:sk:conformance.echo"],
    principals: { "service:runner": { permissions: ["evidence:read"] }, "service:conformance-scoped": {} },
  },
  policy: {
    host: { version: "conformance", max_risk_tier: "medium" },
    rules: [{ id: "open", match: { tools: ["conformance__*"] }, effect: "allow" }],
    guardrails: [
      { id: "conformance-guardrail", tools: ["conformance__unsafe"], requires_human_for: ["conformance.unsafe"] },
    ],
  },
  evidence: { durability: "before-execution" },
};

const REFUND_RULE = {
  id: "refunds",
  match: {
    tools: ["billing__refund*"],
    principals: ["agent:*"],
    doors: ["mcp", "agent"],
    arguments: [{ path: "/amount", op: ">", value: 100 }],
    annotations: { destructiveHint: true },
    risk_at_least: "high",
  },
  effect: "require_approval",
  approval: { approvers: ["role:manager"], count: 1, four_eyes: true, ttl_s: 3600 },
  limit: { per: "principal", calls: 20, window_s: 60 },
  reason: "Refunds above 100 need a manager",
  next: "Ask a manager or lower the amount",
};

describe("the schema for editors", () => {
  test.each([
    {},
    { bundles: [{ path: "a" }, { url: "https://a.example", serverName: "a" }] },
    WORKED_EXAMPLE,
    CHP_FIXTURES,
    { policy: { rules: [REFUND_RULE] } },
  ])("and the reader both take %j", (file) => {
    expect(parseConfig(JSON.stringify(file), { dialect: "bailiwick" }).errors).toEqual([]);
    expect(validate(file)).toBe(true);
  });

  test.each([
    { version: "2" },
    { maxIterations: 26 },
    { policy: { ruels: [] } },
    { bundles: [{}] },
    { bundles: [{ path: "a", name: "b" }] },
    { bundles: [{ url: "https://a.example" }] },
    { policy: { rules: [{ ...REFUND_RULE, effect: "permit" }] } },
  ])("and the reader both refuse %j", (file) => {
    expect(parseConfig(JSON.stringify(file), { dialect: "bailiwick" }).config).toBeNull();
    expect(validate(file)).toBe(false);
  });
});
