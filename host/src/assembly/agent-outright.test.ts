/** What policy refuses whatever the arguments are is neither shown nor found as callable; what depends on the call is. */
import { expect, test } from "vitest";
import type { StubTurn } from "../agent/model/stub-turn-for-tests.ts";
import { startAgent } from "./agent-host-for-tests.ts";

const DONE: StubTurn = { text: "Done." };
const OTHER = { id: "bot", effect: "deny", match: { tools: ["desk__ours"], principals: ["agent:bot"] } };
const POLICY = {
  rules: [
    {
      id: "never",
      effect: "deny",
      match: { tools: ["desk__never"], principals: ["agent:*"] },
      reason: "Not for agents",
    },
    {
      id: "large",
      effect: "deny",
      match: { tools: ["desk__large"], arguments: [{ path: "/n", op: ">", value: 10 }] },
    },
    { id: "ask", effect: "require_approval", match: { tools: ["desk__ask"] } },
    OTHER,
  ],
};
const TOOLS = ["never", "large", "ask", "ours"];

test("a tool that the rules always deny is not shown, and discovery says why", async () => {
  const { place, ...host } = await startAgent({ tools: TOOLS, settings: { policy: POLICY } });
  await host.ask("go", [
    { calls: [{ name: "nb__discover_tools", input: { query: "desk never large ask ours", limit: 25 } }] },
    DONE,
  ]);
  const shown = (place.stub.requests()[0]?.tools ?? []).filter((name) => name.startsWith("desk__"));
  expect(shown).toEqual(["desk__ask", "desk__large", "desk__ours"]);
  const found = place.stub.requests()[1]?.results[0]?.text ?? "";
  expect(found).toMatch(/"name":"desk__never"[^}]*"callable":false,"reason":"[^"]*Not for agents/);
  for (const name of shown) expect(found).toMatch(new RegExp(`"name":"${name}"[^}]*"callable":true`));
});

test("a rule about whoever sends the message counts for what the agent is shown and may do for it", async () => {
  const { place, ...host } = await startAgent({ tools: TOOLS, settings: { policy: POLICY } });
  const { secret } = await host.keys.create({ name: "bot", as: "agent:bot" });
  const turns: StubTurn[] = [
    { calls: [{ name: "desk__ours" }, { name: "nb__delegate", input: { task: "t" } }] },
    { calls: [{ name: "desk__ours" }] },
    DONE,
    DONE,
  ];
  place.stub.script(turns);
  const { status } = await host.rest("POST", "/v1/chat", { message: "go" }, { authorization: `Bearer ${secret}` });
  expect(status).toBe(200);
  expect(place.stub.requests()[0]?.tools).not.toContain("desk__ours");
  expect(place.effects()).toEqual([]);
  const events = place.events();
  const refused = events.filter(({ denial }) => denial !== null);
  expect(refused.length).toBeGreaterThanOrEqual(2);
  for (const { subject } of refused) expect(subject?.["chain"]).toContain("agent://bot");
});

test("a call that the loop does not hand on is recorded as refused all the same", async () => {
  const { place, ...host } = await startAgent({ tools: TOOLS });
  const { json } = await host.ask("go", [{ calls: [{ name: "desk__ours", inputText: "[1,2]" }] }, DONE]);
  const [call] = json["toolCalls"];
  expect(call).toMatchObject({ ok: false, code: "invalid_input" });
  const events = place.events();
  expect(events.find(({ event_id: id }) => id === call.evidenceId)).toMatchObject({ outcome: "denied" });
  expect(place.effects()).toEqual([]);
});
