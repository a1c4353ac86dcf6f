import { expect, it, onTestFinished } from "vitest";
import { needing, openGate, PERSON } from "./gate-for-tests.ts";

it("an approval that ends because much is missing names some of it", async () => {
  const names = Array.from({ length: 20 }, (_, index) => `n${index}`);
  const gate = openGate({
    tools: [needing("draw", ...names)],
    capabilities: { declared: names },
    policy: { rules: [{ id: "ask", match: { tools: ["maya__*"] }, effect: "require_approval" }] },
  });
  onTestFinished(() => gate.path.close());
  const asked = Promise.withResolvers<string>();
  const over = Promise.withResolvers<void>();
  gate.path.approvals.onChange(({ id, state }) => (state === "cancelled" ? over.resolve() : asked.resolve(id)));
  const waiting = gate.call("maya__draw", { approvalWaitMs: 20_000 });
  const id = await asked.promise;
  gate.replace({ declared: [] });
  await over.promise;
  await waiting;
  expect(gate.path.approvals.get(PERSON, id)?.reason).toBe(
    "The host no longer declares n0, n1, n2, n3, n4, n5, n6, n7 and 12 more.",
  );
});
