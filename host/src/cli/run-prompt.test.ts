import { afterAll, beforeAll, expect, it } from "vitest";
import type { PromptShown } from "../kernel/agent.ts";
import { CONV, openChatWire, type ChatWire } from "./chat-wire-for-tests.ts";

let wire: ChatWire;
beforeAll(async () => {
  wire = await openChatWire();
});
afterAll(() => wire.close());

const shown: PromptShown = {
  model: "stub:m",
  skill: null,
  tier: "discovery",
  layers: [{ layer: 1, source: "host", text: "I am the host.", chars: 14 }],
  stable: "I am the host.",
  varying: "",
  tools: [],
  message: "Hi",
  history: { sent: 0, leftOut: 0 },
  estimatedTokens: 5,
};

it("prompt shows what the model would get, or writes it as JSON, and sends no message", async () => {
  wire.says.set("POST /v1/prompt", () => [200, shown]);
  const { code, out } = await wire.run(["prompt", "Hi", "--skill", "s", "--resume", CONV]);
  expect(code).toBe(0);
  expect(out).toContain("Layer 1, identity: 14 characters\n  from host, 14 characters\n    I am the host.\n");
  expect(JSON.parse((await wire.run(["prompt", "Hi", "--json"])).out)).toEqual(shown);
  expect(wire.asked).toEqual([
    { what: "POST /v1/prompt", body: { message: "Hi", skill: "s", conversationId: CONV } },
    { what: "POST /v1/prompt", body: { message: "Hi" } },
  ]);
});

it("prompt for a skill that there is not is refused with the host's next step", async () => {
  const no = { error: "bad_request", message: 'There is no skill "s".', remedy: "Use one of: reports." };
  wire.says.set("POST /v1/prompt", () => [400, no]);
  const { code, err } = await wire.run(["prompt", "Hi", "--skill", "s"]);
  expect(code).toBe(3);
  expect(err).toContain("→ Use one of: reports.");
});
