import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { REFUSALS, type RefusalKind } from "../../kernel/refusals.ts";
import { OTHER } from "../door-for-tests.ts";
import { openChpDoor, type ChpTestDoor } from "./chp-door-for-tests.ts";

let door: ChpTestDoor;
beforeAll(async () => {
  door = await openChpDoor();
});
afterAll(() => door.listener.close());

const lastEnvelope = (): object => door.calls.at(-1)?.envelope ?? {};

describe("POST /invoke", () => {
  it("hands the payload on as it came and the ids as they were given", async () => {
    const body =
      '{ "capability_id" : "echo", "invocation_id":"inv-7", "correlation":{"correlation_id":"c 1","trace_id":"t"},' +
      ' "payload" : { "b": 1.0 ,"a":[ ] }, "unknown": 1 }';
    const said = await door.ask("/invoke", { method: "POST", body });
    expect(said.status).toBe(200);
    expect(said.json).toMatchObject({
      invocation_id: "inv-7",
      correlation: { correlation_id: "c 1" },
      outcome: "success",
    });
    expect(door.calls.at(-1)).toMatchObject({ door: "chp", operation: "call", name: "echo", approvalWaitMs: 0 });
    expect(door.calls.at(-1)?.argsJson).toBe('{ "b": 1.0 ,"a":[ ] }');
    expect(lastEnvelope()).toMatchObject({
      invocationId: "inv-7",
      onceKey: "inv-7",
      correlationId: "c 1",
      traceId: "t",
      mode: "sync",
    });
  });

  it("needs nothing but a capability", async () => {
    const said = await door.invoke({ capability_id: "echo" });
    expect(said.json).toMatchObject({ outcome: "success" });
    expect(lastEnvelope()).toMatchObject({
      invocationId: null,
      correlationId: null,
      onceKey: null,
      mode: "sync",
      version: null,
      requireOutputSchema: false,
      asserted: null,
    });
    expect(door.calls.at(-1)).toMatchObject({ args: {}, argsJson: null });
  });

  it("reads the other names and the members that only code knows", async () => {
    await door.invoke({
      capability_id: "echo",
      arguments: { a: 1 },
      correlation_id: "lifted",
      correlation: {},
      requested_capability_version: "^1",
      require_output_schema: true,
      approval_ref: "apr_1",
      mandate: { kind: "mandate" },
      metadata: { context: { job: 7 } },
    });
    expect(door.calls.at(-1)?.argsJson).toBe('{"a":1}');
    expect(lastEnvelope()).toMatchObject({
      correlationId: "lifted",
      version: "^1",
      requireOutputSchema: true,
      approvalRef: "apr_1",
      mandate: { kind: "mandate" },
      context: { job: 7 },
    });
  });

  it("records what the body claims about who acts, and calls as who was verified", async () => {
    const claim = { subject: { id: "root", verified: true }, actor: { id: "agent://boss" }, verified: true };
    await door.invoke({ capability_id: "echo", ...claim }, { "x-chp-key": OTHER });
    expect(lastEnvelope()).toMatchObject({ asserted: claim });
    expect(door.calls.at(-1)?.verified?.principal.id).toBe("person:other");
  });

  it("hands a blank name on: that there is none such is for the call path to say", async () => {
    expect((await door.invoke({ capability_id: " " })).status).toBe(200);
    expect(door.calls.at(-1)?.name).toBe(" ");
  });

  const processed = (Object.keys(REFUSALS) as RefusalKind[]).filter(
    (kind) => REFUSALS[kind].chp !== "" && kind !== "evidence_unavailable",
  );
  it.each(processed)("%s of a processed call is 200", async (kind) => {
    const said = await door.invoke({ capability_id: `refuse:${kind}` });
    expect(said.status).toBe(200);
    expect(said.json).toMatchObject({ outcome: REFUSALS[kind].outcome, success: false });
  });

  it.each([
    ["refuse:evidence_unavailable", 503, "evidence_unavailable"],
    ["stop:evidence_unavailable", 503, "evidence_unavailable"],
    ["stop:rate_limited", 429, "rate_limited"],
    ["stop:unauthenticated", 401, "unauthorized"],
  ])("%s is %i with the code, the next step and when to come back", async (capability_id, status, code) => {
    const said = await door.invoke({ capability_id });
    expect(said.status).toBe(status);
    expect(said.json).toEqual({ error: { code, message: "No. Do this." } });
    expect(said.headers["retry-after"]).toBe("2");
  });

  it.each(["policy_denied", "disabled", "not_ready"])("%s that could not be recorded is 503", async (kind) => {
    const said = await door.invoke({ capability_id: `lose:${kind}` });
    expect(said.status).toBe(503);
    expect(said.json).toMatchObject({ error: { code: "evidence_unavailable" } });
    expect(said.json.error.message).toContain("No.");
  });

  it("never calls it safe to repeat what may have had an effect", async () => {
    const said = await door.invoke({ capability_id: "lose:indeterminate" });
    expect([said.status, said.json.error.code]).toEqual([502, "indeterminate"]);
  });

  it("shows nothing of a bug", async () => {
    const said = await door.invoke({ capability_id: "bug" });
    expect(said.status).toBe(500);
    expect(said.json).toMatchObject({ error: { code: "internal_error" } });
    expect(said.text).not.toContain("secret");
    expect(door.bugs.at(-1)).toMatchObject({ message: "secret inside" });
  });

  it("cancels the call of a caller that leaves", async () => {
    const call = await leaveCall({ capability_id: "wait" });
    await expect.poll(() => call().signal.aborted).toBe(true);
  });
});

describe("a stream", () => {
  const frames = (text: string): string[] => text.split("\n\n").filter((frame) => frame !== "");

  it("has a frame for each piece and one for the result", async () => {
    const said = await door.invoke({ capability_id: "stream", mode: "stream" });
    expect(said.headers["content-type"]).toBe("text/event-stream");
    const [first, second, third, last, ...more] = frames(said.text);
    expect(first).toBe('id: 0\nevent: chunk\ndata: {"delta":"s1"}');
    expect(second).toBe('id: 1\nevent: chunk\ndata: {"delta":{"n": 2}}');
    expect(third).toBe('id: 2\nevent: chunk\ndata: {"delta":"s3"}');
    expect(last).toMatch(/^id: 3\nevent: result\ndata: \{/);
    expect(more).toEqual([]);
    expect(said.json[3]).toMatchObject({ outcome: "success", capability_id: "stream" });
  });

  it("of what is refused before the first piece is plain JSON", async () => {
    const said = await door.invoke({ capability_id: "refuse:guardrail_blocked", mode: "stream" });
    expect(said.headers["content-type"]).toBe("application/json");
    expect(said.json).toMatchObject({ outcome: "denied", denial: { code: "safety_blocked" } });
    expect((await door.invoke({ capability_id: "stop:rate_limited", mode: "stream" })).status).toBe(429);
    expect((await door.invoke({ capability_id: "bug", mode: "stream" })).status).toBe(500);
    const quiet = await door.invoke({ capability_id: "echo", mode: "stream" });
    expect(quiet.headers["content-type"]).toBe("application/json");
  });

  it.each([
    ["again", {}, ["0", "1", "2", "3"]],
    ["again", { "last-event-id": "0" }, ["1", "2", "3"]],
    ["again", { "last-event-id": "2" }, ["3"]],
    ["again", { "last-event-id": "99" }, ["3"]],
    ["lost", { "last-event-id": "0" }, ["3"]],
    ["stream", { "last-event-id": "1" }, ["0", "1", "2", "3"]],
  ])("of %s goes on after %j with the frames %j", async (capability_id, headers, ids) => {
    const said = await door.invoke({ capability_id, mode: "stream", invocation_id: "i" }, headers);
    expect(frames(said.text).map((frame) => /^id: (\d+)/.exec(frame)?.[1])).toEqual(ids);
    expect(said.json.at(-1)).toMatchObject({ outcome: "success" });
  });

  it("does not begin after an id that is none", async () => {
    const said = await door.invoke({ capability_id: "again", mode: "stream" }, { "last-event-id": "x" });
    expect(said.status).toBe(400);
  });

  it("runs on for a caller that left and can come back for it, and ends for one that cannot", async () => {
    const tied = await leaveCall({ capability_id: "wait", mode: "stream" });
    await expect.poll(() => tied().signal.aborted).toBe(true);
    const kept = await leaveCall({ capability_id: "wait", mode: "stream", invocation_id: "mine" });
    await door.invoke({ capability_id: "echo" });
    expect(kept().signal.aborted).toBe(false);
  });
});

/** Calls, waits until the call is out, and hangs up. */
const leaveCall = async (body: object): Promise<() => ChpTestDoor["calls"][number]> => {
  const at = door.calls.length;
  const leaving = new AbortController();
  const gone = fetch(`${door.origin}/chp/invoke`, {
    method: "POST",
    headers: { "x-chp-key": "owner-key" },
    body: JSON.stringify(body),
    signal: leaving.signal,
  }).then((res) => res.text());
  await expect.poll(() => door.calls.length).toBe(at + 1);
  leaving.abort();
  await expect(gone).rejects.toThrow();
  return () => door.calls[at] as ChpTestDoor["calls"][number];
};
