/** What a changed configuration tells the agent holds from the next run on, without a restart. */
import { expect, onTestFinished, test } from "vitest";
import { startModelStub } from "../agent/model/model-stub-for-tests.ts";
import { firstOf, MODELS, startAgent } from "./agent-host-for-tests.ts";

const call = { name: "desk__echo", input: {} };

test("model, identity, limits, agents and features are those of the file as it is now", async () => {
  const { place, ...host } = await startAgent();
  await host.ask("go", [{ text: "Yes." }]);
  expect(place.stub.requests()[0]?.system).not.toContain("Call me Ishmael.");
  const other = await startModelStub();
  onTestFinished(() => other.close());
  const heard = await host.follow();
  place.settle({
    identity: "Call me Ishmael.",
    defaultModel: MODELS.openai,
    providers: { local: { type: "openai-compatible", baseURL: other.url } },
    maxIterations: 1,
    maxOutputTokens: 77,
    maxDirectTools: 0,
    features: { delegation: false },
    agents: { helper: { description: "d", systemPrompt: "s", tools: [] } },
  });
  const { needRestart } = await host.bundles.reload();
  expect(needRestart).toEqual([]);
  const told = (): unknown[] =>
    heard.filter(({ type }) => type === "config.reloaded").flatMap(({ data }) => data["keys"] as unknown[]);
  await expect.poll(told).toEqual(expect.arrayContaining(["identity", "providers", "features", "agents"]));
  other.script([{ calls: [call] }, { text: "Done." }]);
  const { json } = await host.rest("POST", "/v1/chat", { message: "go" });
  expect(json).toMatchObject({ stopReason: "max_iterations", usage: { model: MODELS.openai } });
  const [request] = other.requests();
  expect(request?.system).toContain("Call me Ishmael.");
  expect(request?.body).toMatchObject({ max_tokens: 77 });
  expect(JSON.stringify(request?.body["tools"])).not.toContain("desk__echo");
  const { tools } = (await host.rest("GET", "/v1/tools?q=nb__delegate")).json;
  expect(tools[0]).toMatchObject({ name: "nb__delegate", state: "disabled" });
});

test("for how long a run waits for a decision is what the file says now", async () => {
  const rules = [
    { id: "ask", match: { tools: ["desk__echo"] }, effect: "require_approval", reason: "A person decides." },
  ];
  const { place, ...host } = await startAgent({
    settings: { approvals: { waitSeconds: 0, runWaitSeconds: 300 }, policy: { rules } },
  });
  place.settle({ approvals: { waitSeconds: 0, runWaitSeconds: 0 }, policy: { rules } });
  expect((await host.bundles.reload()).needRestart).toEqual([]);
  const events = await host.hear("go", [{ calls: [call] }, { text: "It waits." }]);
  expect(firstOf(events, "tool.done")).toMatchObject({ ok: false, code: "approval_pending" });
  place.stub.script([{ calls: [call] }, { text: "It waits." }]);
  const { toolCalls } = await host.chat("go").result;
  expect(toolCalls).toMatchObject([{ ok: false }]);
});
