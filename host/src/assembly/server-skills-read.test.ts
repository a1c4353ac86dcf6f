/** The text of a skill that a server supplies, read on the one call path: by whom, and in the course of what. */
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import type { StubTurn } from "../agent/model/stub-turn-for-tests.ts";
import { readRemoteBody } from "../agent/skills/read-remote-skill.ts";
import type { Answer, RawCall } from "../kernel/call.ts";
import type { Principal } from "../kernel/principal.ts";
import { Refusal } from "../kernel/refusal.ts";
import { makeAgentPlace, type AgentHost, type AgentPlace, type Json } from "./agent-host-for-tests.ts";
import { readServerSkill } from "./read-server-skill.ts";

const SERVER = fileURLToPath(new URL("../../test/fixtures/conformance/server.mjs", import.meta.url));
const URI = "skill://tide-tables/SKILL.md";
const DONE: StubTurn = { text: "Done." };
const READ: StubTurn = { calls: [{ name: "skills__read", input: { name: "tide-tables" } }] };

const open = async (): Promise<{ place: AgentPlace; host: AgentHost }> => {
  const place = await makeAgentPlace();
  const mcp_config = { command: "node", args: [SERVER] };
  const path = place.bundle("tide", { server: { type: "node", entry_point: "server.mjs", mcp_config } });
  place.settle({ bundles: [{ path }] });
  const host = await place.open();
  await host.until("tide", "running");
  return { place, host };
};

const startsOf = (place: AgentPlace, capability: string): readonly Json[] =>
  (place.evidence() as readonly Json[]).filter(
    ({ event_type, capability_id }) => event_type === "execution_started" && capability_id === capability,
  );

test("a read by the model is part of its run, and follows from its call", async () => {
  const { place, host } = await open();
  const { json } = await host.ask("go", [READ, DONE]);
  expect(json["toolCalls"][0]).toMatchObject({ name: "skills__read", ok: true });
  const [asked] = startsOf(place, "skills__read");
  expect(startsOf(place, "tide:resources")).toMatchObject([
    {
      payload: { uri: URI },
      correlation: { correlation_id: json["runId"], causation_id: asked?.["invocation_id"] },
      subject: { id: "agent://bailiwick", on_behalf_of: "person://owner", door: "agent" },
    },
  ]);
});

test("a read for somebody at another door is theirs, at that door", async () => {
  const { place, host } = await open();
  const order = { name: "skills__read", arguments: { name: "tide-tables", file: "references/GUIDE.md" } };
  const { json } = await host.rest("POST", "/v1/tools/call", order);
  expect(JSON.stringify(json)).toContain("Harbours are listed");
  const [asked] = startsOf(place, "skills__read");
  const [read] = startsOf(place, "tide:resources");
  expect(read?.["subject"]).toEqual(asked?.["subject"]);
  expect(read?.["correlation"]).toMatchObject({ correlation_id: asked?.["correlation"].correlation_id });
});

test("whoever wants it is looked at again, and ends the read by going away", async () => {
  const seen: RawCall[] = [];
  const handleCall = async (call: RawCall): Promise<Answer> => {
    seen.push(call);
    const refusal = new Refusal("unauthenticated", { message: "The key was revoked.", next: "Take another." });
    return {
      ending: { kind: "refusal", refusal, stage: 2 },
      outcome: null,
      principal: null,
      evidenceId: null,
      tool: null,
    };
  };
  const gone = new AbortController();
  const presented = { kind: "bearer", token: "bw_1" } as const;
  const within = { correlationId: "c", invocationId: "i", run: null, signal: gone.signal };
  const remote = { provider: "tide", uri: URI, files: null };
  const reader = { principal: {} as Principal, presented, door: "mcp", within } as const;
  const read = readRemoteBody(readServerSkill(handleCall), { name: "tide-tables", remote, reader });
  await expect(read).rejects.toMatchObject({ kind: "unauthenticated" });
  gone.abort();
  expect(seen).toMatchObject([{ presented, verified: null, door: "mcp", signal: { aborted: true } }]);
});
