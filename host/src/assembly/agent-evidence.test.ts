/** What a run leaves in evidence, and what becomes of it when evidence cannot be written or a person has to decide. */
import { describe, expect, test } from "vitest";
import type { StubTurn } from "../agent/model/stub-turn-for-tests.ts";
import {
  firstOf,
  makeAgentPlace,
  MODELS,
  startAgent,
  WIRES,
  type AgentPlace,
  type Json,
} from "./agent-host-for-tests.ts";
import { holdEvidence } from "./whole-host-for-tests.ts";

const DONE: StubTurn = { text: "Done." };
const CREATE = { action: "create", name: "weekly", description: "A report", body: "Write it." };

const payloads = (place: AgentPlace, type: string): readonly Json[] =>
  place.evidence(type).map(({ payload }) => payload as Json);

describe.each(WIRES)("on the wire of %s", (wire) => {
  test("a run begins and ends in evidence, with its skill and why it matched, and its calls are in its correlation", async () => {
    const place = await makeAgentPlace({ wire });
    place.skill("report", "metadata: {triggers: [weekly report], keywords: [sales, numbers, growth]}");
    const host = await place.open();
    const turns = [{ calls: [{ name: "desk__echo" }] }, DONE];
    const orders = ["the Weekly Report", "growth of sales and numbers", "/report now", "hello"];
    const ran: Json[] = [];
    for (const message of orders) ran.push((await host.ask({ message, metadata: { ticket: 7 } }, turns)).json);
    ran.push((await host.ask({ message: "hello", skill: "report" }, turns)).json);
    ran.push((await host.ask({ message: "the weekly report", skill: false }, turns)).json);
    const skills = [
      { name: "report", phase: "trigger", matched: ["weekly report"] },
      { name: "report", phase: "keywords", matched: ["sales", "numbers", "growth"] },
      { name: "report", phase: "explicit", matched: expect.any(Array) },
      undefined,
      { name: "report", phase: "explicit", matched: expect.any(Array) },
      undefined,
    ];
    const started = payloads(place, "run_started");
    expect(started.map(({ skill }) => skill as unknown)).toEqual(skills);
    expect(started[0]).toMatchObject({
      run_id: ran[0]?.["runId"],
      conversation_id: ran[0]?.["conversationId"],
      model: MODELS[wire],
      metadata: { ticket: 7 },
    });
    expect(ran.map(({ skillName }) => skillName as unknown)).toEqual(skills.map((skill) => skill?.name ?? null));
    expect(payloads(place, "run_ended")).toEqual(
      ran.map(({ runId }) => ({ run_id: runId, stop_reason: "complete", input_tokens: 20, output_tokens: 10 })),
    );
    for (const { runId, toolCalls } of ran) {
      const events = place.events().filter(({ correlation }) => correlation.correlation_id === runId);
      const types = events.map(({ event_type }) => event_type);
      expect([types[0], types.at(-1)]).toEqual(["dev.bailiwick.run_started", "dev.bailiwick.run_ended"]);
      expect(events.map(({ event_id }) => event_id)).toContain(toolCalls[0].evidenceId);
      expect(events.filter(({ capability_id }) => capability_id === "desk__echo").length).toBeGreaterThanOrEqual(2);
      const trace = await host.rest("GET", `/v1/evidence/trace/${runId}`);
      expect(trace.status).toBe(200);
    }
  });

  test("the skill is in the first event of the stream, as evidence has it", async () => {
    const place = await makeAgentPlace({ wire });
    place.skill("report", "metadata: {triggers: [report]}");
    const host = await place.open();
    const events = await host.hear("a report", [DONE]);
    const skill = { name: "report", phase: "trigger", matched: ["report"] };
    expect(events[0]?.data.skill).toEqual(skill);
    expect(payloads(place, "run_started").map((payload) => payload["skill"] as unknown)).toEqual([skill]);
  });

  test("evidence that cannot be written ends the run before any further call", async () => {
    const { place, ...host } = await startAgent({ wire });
    let release = (): void => {};
    const events = await host.hear("go", (_, index) => {
      if (index === 1) release = holdEvidence(place);
      return { text: `Step ${index}.`, calls: [{ name: "desk__echo", input: { index } }] };
    });
    release();
    expect(place.effects()).toEqual(["echo"]);
    expect(events.at(-1)).toMatchObject({ event: "error", data: { error: "evidence_unavailable" } });
    expect(events.at(-1)?.data.remedy).toContain("bailiwick doctor");
    expect(place.stub.requests()).toHaveLength(2);
    const { conversationId } = firstOf(events);
    const { messages } = (await host.rest("GET", `/v1/conversations/${conversationId}/history`)).json;
    expect(messages.at(-1)).toMatchObject({ content: "Step 1.", interrupted: true, toolCalls: [{ ok: false }] });
  });

  test("a stream waits for a person, beside calls that need none, and goes on with what was decided", async () => {
    const { place, ...host } = await startAgent({ wire });
    const reader = await host.stream("go", [
      {
        calls: [
          { id: "a", name: "nb__manage_skill", input: CREATE },
          { id: "b", name: "desk__echo" },
        ],
      },
      DONE,
    ]);
    await reader.until("approval.needed");
    await reader.until("tool.done");
    const needed = firstOf(reader.events, "approval.needed");
    expect(needed).toMatchObject({ id: "a", name: "nb__manage_skill", digest: expect.any(String) });
    expect(Date.parse(needed["expiresAt"])).toBeGreaterThan(Date.now());
    expect(reader.events.filter(({ event }) => event === "tool.done").map(({ data }) => data.id)).toEqual(["b"]);
    const decided = await host.rest("POST", `/v1/approvals/${needed["approvalId"]}`, { decision: "approve" });
    expect(decided.status).toBe(200);
    await reader.ended;
    expect(reader.events.at(-1)?.data.toolCalls).toMatchObject([
      { id: "a", ok: true },
      { id: "b", ok: true },
    ]);
    expect((await host.rest("GET", "/v1/skills/weekly")).status).toBe(200);
    expect(place.stub.requests()[1]?.results).toHaveLength(2);
  });

  test("plain chat does not wait: the model is told that it is pending, and a no is a no", async () => {
    const { place, ...host } = await startAgent({ wire });
    const { json } = await host.ask("go", [{ calls: [{ name: "nb__manage_skill", input: CREATE }] }, DONE]);
    expect(json).toMatchObject({ response: "Done.", toolCalls: [{ ok: false }] });
    expect(place.stub.requests()[1]?.last).toContain("approval_pending");
    const pending = (await host.rest("GET", "/v1/approvals?state=pending")).json.approvals as Json[];
    expect(pending).toHaveLength(1);
    expect(place.stub.requests()[1]?.last).toContain(String(pending[0]?.["id"]));

    const reader = await host.stream("go", [
      { calls: [{ name: "nb__manage_skill", input: { ...CREATE, name: "other" } }] },
      DONE,
    ]);
    await reader.until("approval.needed");
    const { approvalId } = firstOf(reader.events, "approval.needed");
    await host.rest("POST", `/v1/approvals/${approvalId}`, { decision: "deny", reason: "Not this week" });
    await reader.ended;
    expect(reader.events.at(-1)?.data.toolCalls).toMatchObject([{ ok: false, outcome: "denied" }]);
    expect(place.stub.requests().at(-1)?.last).toContain("approval_denied");
    expect((await host.rest("GET", "/v1/skills/other")).status).toBe(404);
  });

  test("a person who does not decide in time leaves it pending, and the run goes on", async () => {
    const { place, ...host } = await startAgent({
      wire,
      settings: { approvals: { waitSeconds: 0, runWaitSeconds: 0 } },
    });
    const events = await host.hear("go", [{ calls: [{ name: "nb__manage_skill", input: CREATE }] }, DONE]);
    expect(events.at(-1)?.data).toMatchObject({ response: "Done." });
    expect(events.find(({ event }) => event === "tool.done")?.data).toMatchObject({ code: "approval_pending" });
    expect(place.stub.requests()[1]?.last).toContain("approval_pending");
  });
});
