import { expect, it } from "vitest";
import { HOST_CAPABILITY } from "../../kernel/host-capability.ts";
import { traceOf } from "./trace-of.ts";

const event = (type: string, more: object = {}): Record<string, unknown> => ({
  event_type: type,
  invocation_id: "inv_1",
  capability_id: "mail__send",
  correlation: { correlation_id: "c" },
  subject: { id: "agent://bot", type: "agent" },
  payload: {},
  ...more,
});
const decisionsOf = (...events: readonly Record<string, unknown>[]): unknown[] => {
  const { invocations } = traceOf("c", events) as { invocations: { steps: Record<string, unknown>[] }[] };
  return invocations.map(({ steps }) => steps.find(({ step }) => step === "policy")?.["decision"]);
};

it.each([
  ["allowed", [event("execution_started"), event("execution_completed", { outcome: "success" })]],
  ["denied", [event("execution_denied", { outcome: "denied", denial: { code: "policy" } })]],
  ["skipped", [event("execution_skipped", { outcome: "skipped" })]],
  ["pending", [event("approval_requested")]],
])("a call is %s", (decision, events) => {
  expect(decisionsOf(...events)).toEqual([decision]);
});

it("nothing is to be decided about what the host wrote itself", () => {
  const own = event("dev.bailiwick.run_started", { capability_id: HOST_CAPABILITY, invocation_id: "host" });
  expect(decisionsOf(own, event("execution_started"))).toEqual([null, "allowed"]);
});
