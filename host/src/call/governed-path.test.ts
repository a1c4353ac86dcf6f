import { afterEach, expect, it } from "vitest";
import { NO_ENVELOPE } from "../kernel/envelope.ts";
import type { Principal } from "../kernel/principal.ts";
import { openPath, result, type Answering, type TestPath, type TestPathOptions } from "./path-for-tests.ts";

let path: TestPath;
afterEach(() => path.close());

const open = (overlay: object, answering: Answering = () => result('{"content":[]}'), more: object = {}): TestPath => {
  const policy = { capabilities: { p__t: overlay }, ...more } as NonNullable<TestPathOptions["policy"]>;
  return (path = openPath(answering, { policy }));
};
const types = (): string[] => path.events.map(({ type }) => type);

it("the time that an overlay gives a tool goes along with its call", async () => {
  open({ timeout_s: 0.02 });
  await path.call();
  expect(path.sent[0]?.limitMs).toBe(20);
});

it("a deprecated tool runs, and its result says so", async () => {
  open({ status: "deprecated", sunset: "2999-01-01" });
  const { ending } = await path.call();
  expect(ending).toMatchObject({ kind: "result" });
  const meta = ending.kind === "result" ? (JSON.parse(ending.json) as { _meta: object })._meta : {};
  expect(meta).toMatchObject({ "dev.bailiwick/deprecated": { capability: "p__t" } });
});

it("after its sunset it is skipped like any disabled tool", async () => {
  open({ status: "deprecated", sunset: "2001-01-01" });
  expect(await path.call()).toMatchObject({
    outcome: "skipped",
    ending: { refusal: { kind: "disabled", retryable: false } },
  });
  expect(types()).toEqual(["execution_skipped"]);
  expect(path.sent).toEqual([]);
});

it("a call beyond its budget leaves `budget_exceeded` and the refusal, and counts what began", async () => {
  open({ autonomy: { action_limit: 1 } });
  const envelope = { ...NO_ENVELOPE, correlationId: "corr-1" };
  await path.call({ envelope });
  const second = await path.call({ envelope });
  expect(second.ending).toMatchObject({ refusal: { kind: "budget_exceeded" } });
  expect(types().slice(2)).toEqual(["budget_exceeded", "execution_denied"]);
  expect((await path.call({ envelope: { ...envelope, correlationId: "corr-2" } })).outcome).toBe("success");
});

it("guardrails that pass stand before the intent, one that blocks before the refusal", async () => {
  const guardrails = [{ id: "g", tools: ["p__t"], deny_if: [{ path: "/amount", op: ">", value: 10 }] }];
  open({}, undefined, { guardrails });
  await path.call({ args: { amount: 1 } });
  expect(types()).toEqual([
    "safety_assessment_started",
    "safety_assessment_completed",
    "safety_action_approved",
    "execution_started",
    "execution_completed",
  ]);
  path.events.length = 0;
  const { ending, record } = await path.call({ args: { amount: 11 } });
  expect(ending).toMatchObject({ refusal: { kind: "guardrail_blocked" }, stage: 7 });
  expect(types()).toEqual([
    "safety_assessment_started",
    "safety_assessment_completed",
    "safety_guardrail_triggered",
    "safety_action_blocked",
    "execution_denied",
  ]);
  expect(record?.evidenceIds).toHaveLength(5);
});

it("in audit mode a rule's no is recorded and the call runs", async () => {
  const rules = [{ id: "never", match: { tools: ["p__t"] }, effect: "deny" }];
  open({}, undefined, { mode: "audit", rules });
  expect((await path.call()).outcome).toBe("success");
  expect(types()).toEqual(["dev.bailiwick.policy_would_deny", "execution_started", "execution_completed"]);
});

it("what was asserted about the caller is recorded and decides nothing", async () => {
  open({ allowed_actors: ["agent:chosen"] });
  const asserted = { subject: { id: "agent://chosen", verified: true }, actor: { id: "agent:chosen" } };
  const { ending } = await path.call({ envelope: { ...NO_ENVELOPE, asserted } });
  expect(ending).toMatchObject({ refusal: { kind: "not_visible" } });
  expect(JSON.parse(path.events[0]?.subject ?? "")).toMatchObject({ id: "agent://local", asserted });
});

const OWNER: Principal = {
  id: "person:owner",
  kind: "person",
  onBehalfOf: null,
  roles: ["owner"],
  permissions: ["*"],
  assurance: "credential",
  scopes: null,
  workspace: "ws_default",
  credentialId: "owner",
};

it("a yes is not used up by a call whose server went away while it waited, and serves the next", async () => {
  open({ approval_required: true });
  const asked = Promise.withResolvers<string>();
  path.approvals.onChange(({ id }) => asked.resolve(id));
  const waiting = path.call({ approvalWaitMs: 20_000 });
  const id = await asked.promise;
  path.running = false;
  await path.approvals.decide(OWNER, id, { approve: true });
  expect((await waiting).ending).toMatchObject({ refusal: { kind: "not_ready" }, stage: 9 });
  expect(path.approvals.get(OWNER, id)?.state).toBe("granted");
  expect(types()).not.toContain("execution_started");
  path.running = true;
  expect((await path.call()).outcome).toBe("success");
  expect(path.approvals.get(OWNER, id)?.state).toBe("consumed");
  expect(path.sent).toHaveLength(1);
});
