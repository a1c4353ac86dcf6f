import { expect, it } from "vitest";
import type { Json } from "./archive-parts.ts";
import { InvocationKeys } from "./invocation-keys.ts";

const event = (event_type: string, call: "a" | "b", by = "agent://planner"): Json => ({
  event_type,
  invocation_id: `inv-${call}`,
  correlation: { correlation_id: `corr-${call}` },
  action_digest: "sha256:same",
  subject: { id: by },
});

it("a decision belongs to the call that asked first, whoever decided and whoever joined", () => {
  const keys = new InvocationKeys();
  const first = keys.of(event("approval_requested", "a"));
  const joined = keys.of(event("approval_requested", "b"));
  expect(joined).not.toBe(first);
  expect(keys.of(event("approval_granted", "a", "person://maria"))).toBe(first);
  expect(keys.of(event("execution_started", "b"))).toBe(joined);
  expect(keys.of(event("execution_denied", "a"))).toBe(first);
});
