/** What is shown of a message beforehand, and what then was sent; how many runs one may have; and what health counts. */
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { firstOf, makeAgentPlace, startAgent, type Json } from "./agent-host-for-tests.ts";

/** Without the moment at which it was made. */
const timeless = (shown: Json): Json => JSON.parse(JSON.stringify(shown).replaceAll(/\d{1,2}:\d\d(?::\d\d)?/g, "now"));

test("what would be sent is what then is sent, with history that is left out and names that a model cannot write", async () => {
  const place = await makeAgentPlace({ tools: ["look.up"] });
  const dir = join(place.workDir, "workspaces/ws_default/conversations");
  mkdirSync(dir, { recursive: true });
  const id = "conv_longlong1";
  const ts = "2026-01-02T03:04:05.678Z";
  const call = { id: "a", name: "desk__look.up", input: {}, output: "42", ok: true, ms: 1, outcome: "success" };
  const lines = [
    { id, createdAt: ts },
    { role: "user", content: "x".repeat(2_000_000), ts },
    { role: "assistant", content: "Long.", ts },
    { role: "user", content: "Short?", ts },
    { role: "assistant", content: "Yes.", ts, toolCalls: [call] },
  ];
  const file = join(dir, `${id}.jsonl`);
  writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  appendFileSync(file, '{"role":"user","con');
  const host = await place.open();
  const order = { message: "And now?", conversationId: id };
  const before = await host.rest("POST", "/v1/prompt", order);
  expect(before.status).toBe(200);
  const events = await host.hear(order, [{ text: "Done." }]);
  const sent = await host.rest("GET", `/v1/runs/${firstOf(events)["runId"]}/prompt`);
  expect(timeless(before.json)).toEqual(timeless(sent.json));
  expect(before.json.history).toEqual({ sent: 2, leftOut: 2 });
  expect(before.json.message).toContain("2 earlier messages were left out");
  expect(before.json.message).toContain("was cut off");
  const [request] = place.stub.requests();
  expect(request?.last).toBe(sent.json.message);
});

test("one who has 32 runs going on begins no other, and nothing is left of the message", async () => {
  const { place, ...host } = await startAgent();
  const forever = new Promise(() => {});
  place.stub.script(Array.from({ length: 32 }, () => ({ text: ["Once", forever] })));
  const readers = await Promise.all(Array.from({ length: 32 }, (_, n) => host.stream(`go ${n}`)));
  for (const reader of readers) {
    await reader.until("text.delta");
    reader.leave();
  }
  const { status, json } = await host.rest("POST", "/v1/chat", { message: "one more" });
  expect([status, json.error]).toEqual([429, "rate_limited"]);
  expect(json.remedy).toContain("/cancel");
  expect((await host.conversations.list({ limit: 100 })).totalCount).toBe(32);
  const { conversationId } = firstOf(readers[0]?.events ?? []);
  await host.rest("POST", `/v1/conversations/${conversationId}/cancel`);
  await expect.poll(async () => (await host.ask("again", [{ text: "Yes." }])).status, { timeout: 10_000 }).toBe(200);
});

test("health counts bundles, and nothing that comes with the host", async () => {
  const host = await startAgent();
  const none = { starting: 0, crashed: 0, dead: 0, stopped: 0, refused: 0 };
  expect((await host.rest("GET", "/v1/health")).json.bundles).toEqual({ running: 1, ...none });
});
