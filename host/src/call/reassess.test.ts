/** What a call meets that waited for a person's decision while the policy became another one. */
import { afterEach, describe, expect, it } from "vitest";
import type { Answer } from "../kernel/call.ts";
import type { Principal } from "../kernel/principal.ts";
import { openPath, result, type TestPath } from "./path-for-tests.ts";

const person = (id: string): Principal => ({
  id,
  kind: "person",
  onBehalfOf: null,
  roles: [],
  permissions: ["*"],
  assurance: "credential",
  scopes: null,
  workspace: "ws_default",
  credentialId: id,
});
const [ANN, BOB] = [person("person:ann"), person("person:bob")];
const MATCH = { tools: ["p__t"] };
const ASK = { id: "ask", match: MATCH, effect: "require_approval" } as const;

const INVARIANT = { id: "i", kind: "required_payload_fields", enforcement: "host", parameters: { fields: ["why"] } };

let path: TestPath;
afterEach(() => path.close());

/** The call, held, and the approval that it waits for. */
const hold = async (): Promise<{ waiting: Promise<Answer>; id: string }> => {
  path = openPath(() => result('{"content":[]}'), { policy: { rules: [ASK] } });
  const asked = Promise.withResolvers<string>();
  path.approvals.onChange(({ id }) => asked.resolve(id));
  const waiting = path.call({ args: { amount: 5 }, approvalWaitMs: 20_000 });
  return { waiting, id: await asked.promise };
};
const govern = (policy: object): void => path.govern(policy);
const types = (): string[] => path.events.map(({ type }) => type);

describe("a yes that comes after the policy changed", () => {
  it.each([
    [
      "guardrail_blocked",
      { guardrails: [{ id: "g", tools: ["p__t"], deny_if: [{ path: "/amount", op: ">", value: 1 }] }] },
    ],
    ["policy_denied", { rules: [ASK, { id: "never", match: MATCH, effect: "deny" }] }],
    ["invariant_failed", { capabilities: { p__t: { invariants: [INVARIANT] } } }],
  ])("does not let the call past a %s", async (kind, more) => {
    const { waiting, id } = await hold();
    govern({ rules: [ASK], ...more });
    await path.approvals.decide(ANN, id, { approve: true });
    expect((await waiting).ending).toMatchObject({ kind: "refusal", refusal: { kind } });
    expect(path.sent).toEqual([]);
    expect(types()).not.toContain("execution_started");
    expect(path.approvals.get(ANN, id)?.state).toBe("granted");
  });

  it("is none to a call that needs two persons now", async () => {
    const { waiting, id } = await hold();
    govern({ rules: [{ ...ASK, approval: { count: 2, four_eyes: true } }] });
    const next = Promise.withResolvers<string>();
    path.approvals.onChange(({ id: other }) => other !== id && next.resolve(other));
    await path.approvals.decide(ANN, id, { approve: true });
    const second = await next.promise;
    await path.approvals.decide(ANN, second, { approve: true });
    expect([path.sent, path.approvals.get(BOB, second)]).toMatchObject([
      [],
      { state: "pending", required: { count: 2 } },
    ]);
    await path.approvals.decide(BOB, second, { approve: true });
    expect((await waiting).outcome).toBe("success");
    expect(path.approvals.get(BOB, second)?.state).toBe("consumed");
  });

  it("is not needed where nothing is demanded any more, and the call runs as what the policy makes it now", async () => {
    const { waiting, id } = await hold();
    const guardrails = [{ id: "g", tools: ["p__t"], deny_if: [{ path: "/amount", op: ">", value: 9 }] }];
    govern({
      guardrails,
      rules: [{ id: "few", match: MATCH, effect: "limit", limit: { per: "principal", calls: 1, window_s: 60 } }],
    });
    await path.approvals.decide(ANN, id, { approve: true });
    expect((await waiting).outcome).toBe("success");
    expect(types()).toContain("safety_action_approved");
    expect(types()).not.toContain("approval_grant_verified");
    // It counted against the limit of the new policy.
    expect((await path.call({ args: { amount: 6 } })).ending).toMatchObject({ refusal: { kind: "rate_limited" } });
  });
});
