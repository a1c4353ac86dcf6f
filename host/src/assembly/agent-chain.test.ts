/** Whoever has the host's agent work for it gets nothing that it may not have itself, through whatever door it came. */
import { PassThrough } from "node:stream";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import type { StubTurn } from "../agent/model/stub-turn-for-tests.ts";
import { startAgent, type Json } from "./agent-host-for-tests.ts";

const DONE: StubTurn = { text: "Done." };
const CLASSES = {
  capabilities: {
    desk__ours: { data_classification: "internal" },
    desk__conf: { data_classification: "confidential" },
  },
};
const profile = { description: "d", systemPrompt: "s", tools: ["desk__*"] };
const INITIALIZE = {
  protocolVersion: "2025-06-18",
  capabilities: {},
  clientInfo: { name: "client", version: "1" },
};
const delegating = (tool: string, input: Json = {}): StubTurn[] => [
  { calls: [{ name: "nb__delegate", input: { task: "t", ...input } }] },
  { calls: [{ name: tool }] },
  DONE,
  DONE,
];

/** Speaks MCP on a pipe. */
const speak = (host: Awaited<ReturnType<typeof startAgent>>) => {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const over = host.stdio({ input, output });
  const lines = createInterface({ input: output });
  let last = 0;
  const ask = async (method: string, params: object): Promise<Json> => {
    const id = ++last;
    input.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    for (;;) {
      const [line] = (await once(lines, "line")) as [string];
      const message = JSON.parse(line) as Json;
      if (message["id"] === id) return message["result"] as Json;
    }
  };
  const end = async (): Promise<void> => {
    input.end();
    await over;
  };
  return { ask, end };
};

test("a program behind MCP cannot delegate what a rule or its clearance keeps from it", async () => {
  const host = await startAgent({
    tools: ["ours", "denied"],
    settings: {
      policy: {
        ...CLASSES,
        rules: [{ id: "no", effect: "deny", match: { tools: ["desk__denied"], principals: ["agent:mcp-client"] } }],
      },
      auth: { principals: { "agent:mcp-client": { clearance: "public" } } },
    },
  });
  const { place } = host;
  const client = speak(host);
  await client.ask("initialize", INITIALIZE);
  for (const tool of ["desk__ours", "desk__denied"]) {
    const direct = await client.ask("tools/call", { name: tool, arguments: {} });
    expect(direct["isError"]).toBe(true);
    place.stub.script([{ calls: [{ name: tool }] }, DONE]);
    const delegated = await client.ask("tools/call", { name: "nb__delegate", arguments: { task: "t" } });
    expect(delegated["structuredContent"].toolCalls).toMatchObject([{ name: tool, ok: false }]);
  }
  await client.end();
  expect(place.effects()).toEqual([]);
  const chains = place.events().flatMap(({ denial, subject }) => (denial === null ? [] : [subject?.["chain"]]));
  expect(chains).toContainEqual(["agent://mcp-client", "agent://bailiwick"]);
});

test("a delegate of a higher clearance does not fetch what its parent and its person may not see", async () => {
  const { place, ...host } = await startAgent({
    tools: ["conf"],
    settings: {
      policy: CLASSES,
      agents: { legal: profile },
      auth: { principals: { "agent:legal": { clearance: "restricted" } } },
    },
  });
  expect((await host.rest("POST", "/v1/tools/call", { name: "desk__conf", arguments: {} })).status).toBe(403);
  await host.ask("go", delegating("desk__conf", { agent: "legal" }));
  expect(place.effects()).toEqual([]);
});

test("an agent of a lower clearance does not get more because a service sends it", async () => {
  const { place, ...host } = await startAgent({
    tools: ["conf"],
    settings: {
      policy: CLASSES,
      auth: { principals: { "service:etl": { clearance: "restricted" }, "agent:bailiwick": { clearance: "public" } } },
    },
  });
  const { secret } = await host.keys.create({ name: "etl", as: "service:etl" });
  place.stub.script([{ calls: [{ name: "desk__conf" }] }, DONE]);
  const { status } = await host.rest("POST", "/v1/chat", { message: "go" }, { authorization: `Bearer ${secret}` });
  expect([status, place.effects()]).toEqual([200, []]);
});

const ASK = { rules: [{ id: "ask", effect: "require_approval", match: { tools: ["desk__ours"] } }] };
const standing = (principal: string): Json => ({
  tools: ["desk__ours"],
  principal,
  expires_at: new Date(Date.now() + 3_600_000).toISOString(),
});

test("a standing approval for a delegate holds for it, and one for the agent does not hold for a bot that uses it", async () => {
  const settings = { policy: ASK, agents: { clerk: profile } };
  const { place, ...host } = await startAgent({ tools: ["ours"], settings });
  const { secret } = await host.keys.create({ name: "bot", as: "agent:bot" });
  await host.rest("POST", "/v1/standing-approvals", standing("agent:clerk"));
  await host.ask("go", delegating("desk__ours", { agent: "clerk" }));
  expect(place.effects()).toEqual(["ours"]);
  await host.rest("POST", "/v1/standing-approvals", standing("agent:bailiwick"));
  place.stub.script([{ calls: [{ name: "desk__ours" }] }, DONE]);
  await host.rest("POST", "/v1/chat", { message: "go" }, { authorization: `Bearer ${secret}` });
  expect(place.effects()).toEqual(["ours"]);
  const { json } = await host.rest("GET", "/v1/approvals?state=pending");
  expect(json["approvals"]).toMatchObject([{ requested_by: "agent:bailiwick", chain: ["agent:bot"] }]);
});
