/** What a skill, a request or a delegate's list leaves out does not run because a model names it; empty lists open nothing. */
import { describe, expect, it } from "vitest";
import type { StubCall, StubRequest, StubScript } from "../agent/model/stub-turn-for-tests.ts";
import { startAgent, WIRES, type Json, type Wire } from "./agent-host-for-tests.ts";

const asks = (calls: readonly StubCall[]) => [{ calls }, { text: "Sorry." }];
/** By which a request of a sub-agent is known. */
const SYSTEM = "You were given one task by another agent.";
const BOTH: readonly StubCall[] = [{ name: "desk__echo" }, { name: "desk__wipe" }];
const PROFILES = { agents: { none: { description: "Has no tools.", systemPrompt: SYSTEM, tools: [] } } };
const outcomes = (json: Json): unknown[] => (json["toolCalls"] as Json[]).map(({ ok }) => ok);
const codes = (request: StubRequest | undefined): unknown[] =>
  (request?.results ?? []).map(({ text }) => /^(?:<tool-result[^\n]*>\n)?([a-z_]+): /.exec(text)?.[1] ?? "ran");
const isChild = ({ system }: StubRequest): boolean => system.includes(SYSTEM);

const open = (wire: Wire) => startAgent({ wire, tools: ["echo", "wipe"], settings: PROFILES });

describe.each(WIRES)("a model on the wire %s", (wire) => {
  it("calls nothing outside the skill that matched, however it comes to know of it", async () => {
    const { place, ...host } = await open(wire);
    place.skill("narrow", "allowed-tools: [desk__echo]\nmetadata:\n  triggers: [tidy up]");
    const found = { name: "nb__discover_tools", input: { query: "wipe" } };
    const { json } = await host.ask("please tidy up", [{ calls: [found] }, ...asks(BOTH)]);
    expect(json["skillName"]).toBe("narrow");
    expect(outcomes(json)).toEqual([true, true, false]);
    expect(codes(place.stub.requests().at(-1))).toEqual(["ran", "outside_skill"]);
    expect(json["toolCalls"][0].output).toContain('"callable":false');
    expect(place.stub.requests().every(({ tools }) => !tools.includes("desk__wipe"))).toBe(true);
    expect(place.effects()).toEqual(["echo"]);
  });

  it.each([
    ["an empty list", "[]"],
    ["an empty text", '""'],
    ["a list of blanks", '["", " "]'],
    ["a list of what are no names", "[1, null, {a: b}]"],
    ["what is no list", "{desk__echo: true}"],
  ])("calls nothing but the host's own where the skill's allowed tools are %s", async (_what, list) => {
    const { place, ...host } = await open(wire);
    place.skill("narrow", `allowed-tools: ${list}`);
    const { json } = await host.ask({ message: "Go", skill: "narrow" }, asks([...BOTH, { name: "nb__bundle_status" }]));
    expect(outcomes(json)).toEqual([false, false, true]);
    expect(codes(place.stub.requests().at(-1))).toEqual(["outside_skill", "outside_skill", "ran"]);
    expect(place.effects()).toEqual([]);
  });

  it.each([[[]], [[""]], [["desk"]], [["DESK__*"]], [["echo"]], [["__proto__"]]])(
    "calls nothing that the request's list %j does not name",
    async (allowedTools) => {
      const { place, ...host } = await open(wire);
      const { json } = await host.ask({ message: "Go", allowedTools }, asks(BOTH));
      expect(codes(place.stub.requests().at(-1))).toEqual(["outside_request", "outside_request"]);
      expect(outcomes(json)).toEqual([false, false]);
      expect(place.effects()).toEqual([]);
      expect((await host.ask({ message: "Go", allowedTools: null }, asks(BOTH))).status).toBe(400);
    },
  );

  it("hands a delegate no more than it was given itself, and none where it gives none", async () => {
    const { place, ...host } = await open(wire);
    const lists: readonly (readonly string[] | undefined)[] = [
      undefined,
      [],
      ["*"],
      ["desk__wipe"],
      ["desk__echo"],
      [""],
    ];
    const ran: unknown[] = [];
    for (const tools of lists) {
      const script: StubScript = (request, index) => {
        if (isChild(request))
          return request.results.length === 0 ? { calls: BOTH } : { text: codes(request).join(",") };
        return index === first ? { calls: [{ name: "nb__delegate", input: { task: "t", tools } }] } : { text: "ok" };
      };
      const first = place.stub.requests().length;
      const { json } = await host.ask({ message: "Go", allowedTools: ["desk__echo"] }, script);
      ran.push(JSON.parse(json["toolCalls"][0].output).response);
    }
    const no = "outside_delegate,outside_delegate";
    expect(ran).toEqual(["ran,outside_delegate", no, "ran,outside_delegate", no, "ran,outside_delegate", no]);
    expect(place.effects()).toEqual(["echo", "echo", "echo"]);
  });

  it("hands a delegate nothing whose profile has an empty list", async () => {
    const { place, ...host } = await open(wire);
    const { json } = await host.ask("Go", (request) => {
      if (isChild(request)) return request.results.length === 0 ? { calls: BOTH } : { text: codes(request).join(",") };
      const delegate = { name: "nb__delegate", input: { task: "t", agent: "none" } };
      return request.results.length === 0 ? { calls: [delegate] } : { text: "ok" };
    });
    expect(JSON.parse(json["toolCalls"][0].output).response).toBe("outside_delegate,outside_delegate");
    expect(place.effects()).toEqual([]);
  });

  it("gives a delegate the host's own tools only where it names them, and no way to name itself wider", async () => {
    const { place, ...host } = await open(wire);
    const wider = { name: "nb__delegate", input: { task: "again", tools: ["*", "nb__*"] } };
    const script: StubScript = (request) => {
      if (request.last.includes("again")) return request.results.length === 0 ? { calls: BOTH } : { text: "x" };
      if (isChild(request)) return request.results.length === 0 ? { calls: [wider] } : { text: codes(request).join() };
      const tools = request.last.includes("named") ? ["nb__delegate"] : ["*"];
      return request.results.length === 0
        ? { calls: [{ name: "nb__delegate", input: { task: "t", tools } }] }
        : { text: "ok" };
    };
    const unnamed = await host.ask("Go", script);
    expect(JSON.parse(unnamed.json["toolCalls"][0].output).response).toBe("outside_delegate");
    const named = await host.ask("named", script);
    expect(JSON.parse(named.json["toolCalls"][0].output).response).toBe("ran");
    expect(place.stub.requests().filter(({ last }) => last.includes("again"))).toHaveLength(1);
    // The grandchild has what its parent has: nothing of the desk.
    expect(place.effects()).toEqual([]);
  });
});

describe("a skill", () => {
  it("whose triggers and keywords are blank matches no message", async () => {
    const { place, ...host } = await open("anthropic");
    place.skill("blank", 'metadata:\n  triggers: ["", "  ", "\\t\\n"]\n  keywords: ["", " ", "\\u00a0", "  "]');
    place.skill("bare", "metadata:\n  triggers: []\n  keywords: []");
    for (const message of ["Go", "a  b", "\u00a0 x \t\n y", "//", "/", "/blankish"]) {
      const { json } = await host.ask(message, [{ text: "ok" }]);
      expect([message, json["skillName"]]).toEqual([message, null]);
    }
  });
});

describe("a model that delegates without end", () => {
  const bomb = (task: string): StubCall => ({
    name: "nb__delegate",
    input: { task, tools: ["nb__delegate"], maxIterations: 10 },
  });
  const CALLS = Array.from({ length: 128 }, (_, n) => bomb(`t${n}`));

  it("is ended by the tokens of the whole message, which all sub-agents share", async () => {
    const { place, ...host } = await startAgent({ settings: { maxInputTokens: 1_000 } });
    const { status, json } = await host.ask("Go", () => ({ calls: CALLS, usage: { input: 50, output: 1 } }));
    expect([status, json["stopReason"]]).toEqual([200, "token_budget"]);
    // Twenty model calls, and those of sub-agents that had begun when the tokens were used up.
    expect(place.stub.requests().length).toBeLessThan(200);
    expect(place.effects()).toEqual([]);
  });

  it("starts only so many sub-agents for one message where it reports next to no tokens", async () => {
    const { place, ...host } = await startAgent({ settings: { maxIterations: 4 } });
    const { status, json } = await host.ask("Go", () => ({
      calls: CALLS.slice(0, 12),
      usage: { input: 1, output: 1 },
    }));
    expect([status, json["stopReason"]]).toEqual([200, "max_iterations"]);
    const started = place.evidence("run_started").filter(({ payload }) => payload["parent_run_id"] !== undefined);
    expect(started).toHaveLength(128);
  });
});
