/** Clients that lose the stream of a run and come back, or do not. */
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { StubTurn } from "../agent/model/stub-turn-for-tests.ts";
import type { ReadEvent } from "../transport/chat-reader-for-tests.ts";
import { makeAgentPlace, startAgent, type AgentHost, type AgentPlace, type Json } from "./agent-host-for-tests.ts";
import { readUntilCut, type CutStream } from "./cut-stream-for-tests.ts";

const RAW = fileURLToPath(new URL("../../test/fixtures/raw-server.mjs", import.meta.url));
const GRACE_MS = 60_000;

afterEach(() => vi.unstubAllGlobals());

/** A minute without a listener is over after so many milliseconds. */
const shortenGrace = (ms: number): void => {
  const { setTimeout: real } = globalThis;
  const short = (act: () => void, wait?: number, ...rest: []): unknown =>
    real(act, wait === GRACE_MS ? ms : wait, ...rest);
  vi.stubGlobal("setTimeout", short);
};

const idsOf = (events: readonly ReadEvent[]): number[] => events.map(({ id }) => Number(id));
const upTo = (last: number): number[] => Array.from({ length: last }, (_, index) => index + 1);
const textOf = (events: readonly ReadEvent[]): string =>
  events.flatMap(({ event, data }) => (event === "text.delta" ? [data.text as string] : [])).join("");
const endsOf = (events: readonly ReadEvent[]): readonly ReadEvent[] =>
  events.filter(({ event }) => event === "done" || event === "error");

/** With a server that never answers `silent`, answers `answer-after-cancel` then alone, and tells in `state` what it got. */
const startRaw = async (): Promise<AgentHost & { readonly place: AgentPlace }> => {
  const place = await makeAgentPlace();
  const server = { type: "node", entry_point: "s.mjs", mcp_config: { command: "node", args: [RAW] } };
  place.settle({ bundles: [{ path: place.bundle("raw", { server }) }] });
  const host = await place.open();
  await host.until("raw", "running");
  return { ...host, place };
};

const stateOf = async (host: AgentHost): Promise<Json> =>
  (await host.rest("POST", "/v1/tools/call", { name: "raw__state", arguments: {} })).json;
const callsOf = async (host: AgentHost): Promise<readonly string[]> =>
  ((await stateOf(host))["calls"] as Json[]).map(({ params }) => params.name);
const cancelledOf = async (host: AgentHost): Promise<readonly Json[]> => (await stateOf(host))["cancelled"];

interface Follower {
  readonly host: AgentHost;
  readonly runId: string;
  /** After how many bytes each connection breaks; after the last of them none does. */
  readonly cuts: readonly number[];
}

const headersOf = ({ key }: AgentHost, after?: number): Record<string, string> => ({
  authorization: `Bearer ${key}`,
  ...(after === undefined ? {} : { "last-event-id": String(after) }),
});

/** Comes back with the last id it has until it has heard the end. */
const followFrom = async ({ host, runId, cuts }: Follower, heard: ReadEvent[]): Promise<readonly ReadEvent[]> => {
  const path = `/v1/runs/${runId}/events`;
  for (const bytes of [...cuts, Infinity, Infinity]) {
    const last = Number(heard.at(-1)?.id ?? 0);
    const said: CutStream = await readUntilCut(host.origin, {
      method: "GET",
      path,
      headers: headersOf(host, last),
      bytes,
    });
    if (said.status === 204) return heard;
    heard.push(...said.events);
  }
  return heard;
};

const pieces = fc.array(fc.oneof(fc.string({ minLength: 1, unit: "grapheme" }), fc.constantFrom(1, 2)), {
  maxLength: 12,
});
const plan = fc.record({
  first: pieces,
  second: pieces,
  cuts: fc.array(fc.integer({ min: 1, max: 900 }), { minLength: 1, maxLength: 8 }),
  others: fc.array(
    fc.record({ after: fc.nat(4), cuts: fc.array(fc.integer({ min: 1, max: 900 }), { maxLength: 4 }) }),
    {
      maxLength: 3,
    },
  ),
});

const scriptOf = ({ first, second }: { first: StubTurn["text"]; second: StubTurn["text"] }): readonly StubTurn[] => [
  { text: first ?? "", calls: [{ name: "desk__echo", input: { progress: "half" } }, { name: "desk__echo" }] },
  { text: second ?? "" },
];

describe("a client whose connection breaks, wherever it does", () => {
  it("gets every event once, and so does everybody else who follows the run", async () => {
    const host = await startAgent();
    await fc.assert(
      fc.asyncProperty(plan, async ({ first, second, cuts, others }) => {
        host.place.stub.script(scriptOf({ first, second }));
        const [bytes = 1, ...later] = cuts;
        const order = { method: "POST", path: "/v1/chat/stream", headers: headersOf(host), bytes } as const;
        const begun = await readUntilCut(host.origin, { ...order, body: { message: "go" } });
        const { runId } = begun.events[0]!.data;
        const followed = await Promise.all([
          followFrom({ host, runId, cuts: later }, [...begun.events]),
          ...others.map((other) =>
            followFrom({ host, runId, cuts: other.cuts }, [{ id: String(other.after), event: null, data: null }]),
          ),
        ]);
        const [whole, ...parts] = followed;
        expect(idsOf(whole)).toEqual(upTo(whole.length));
        const [end, ...more] = endsOf(whole);
        expect([end?.event, whole.at(-1), more]).toEqual(["done", end, []]);
        expect(textOf(whole)).toBe(end?.data.response);
        for (const [at, part] of parts.entries()) expect(part.slice(1)).toEqual(whole.slice(others[at]?.after));
        expect(await followFrom({ host, runId, cuts: [] }, [])).toEqual(whole);
        const after = await host.listenTo(runId, whole.length);
        expect([after.status, after.events]).toEqual([204, []]);
      }),
      { numRuns: 40 },
    );
  }, 60_000);
});

describe("a run that nobody follows", () => {
  it("goes on when its client comes back within a minute", async () => {
    const host = await startAgent();
    const held = host.place.hold("a");
    shortenGrace(1_500);
    const reader = await host.stream("go", [
      { calls: [{ name: "desk__echo", input: { hold: held.path } }] },
      { text: "Done." },
    ]);
    await reader.until("tool.start");
    const { runId } = reader.events[0]!.data;
    reader.leave();
    await reader.ended;
    const again = await host.listenTo(runId, idsOf(reader.events).at(-1));
    // Longer than it would have gone on alone.
    await sleep(2_000);
    held.letGo();
    await again.ended;
    const all = [...reader.events, ...again.events];
    expect(idsOf(all)).toEqual(upTo(all.length));
    expect(all.at(-1)).toMatchObject({ event: "done", data: { response: "Done." } });
  });

  it("is cancelled after a minute: the server is told, the model is not asked again, the text so far is kept", async () => {
    const host = await startRaw();
    shortenGrace(1_500);
    const reader = await host.stream("go", [
      { text: "So far.", calls: [{ name: "raw__answer-after-cancel" }] },
      { text: "No." },
    ]);
    await reader.until("tool.start");
    const { runId, conversationId } = reader.events[0]!.data;
    reader.leave();
    await vi.waitFor(async () => expect((await cancelledOf(host)).length).toBe(1), 5_000);
    const end = await host.listenTo(runId);
    await end.ended;
    expect(end.events.at(-1)).toMatchObject({
      event: "error",
      data: { error: "cancelled", message: expect.stringContaining("nobody followed it"), remedy: expect.any(String) },
    });
    const { messages } = (await host.rest("GET", `/v1/conversations/${conversationId}/history`)).json;
    expect(messages.at(-1)).toMatchObject({
      content: "So far.",
      interrupted: true,
      toolCalls: [{ name: "raw__answer-after-cancel", ok: true, outcome: "success" }],
    });
    expect(host.place.stub.requests()).toHaveLength(1);
  });

  it("lets go of a model that is still answering", async () => {
    const host = await startAgent();
    shortenGrace(1_500);
    const reader = await host.stream("go", [{ text: ["Half an", 1, " answer"], fault: "hang" }]);
    await vi.waitFor(() => expect(textOf(reader.events)).toBe("Half an answer"));
    const { conversationId } = reader.events[0]!.data;
    reader.leave();
    await vi.waitFor(() => expect(host.place.stub.requests()[0]?.left).toBe(true), 5_000);
    await vi.waitFor(async () => {
      const { messages } = (await host.rest("GET", `/v1/conversations/${conversationId}/history`)).json;
      expect(messages.at(-1)).toMatchObject({ role: "assistant", content: "Half an answer", interrupted: true });
    });
  });
});

describe("a person who cancels", () => {
  it("ends the call at its server and every reader's stream, and nobody claims to know what it did", async () => {
    const host = await startRaw();
    const reader = await host.stream("go", [{ calls: [{ name: "raw__silent" }] }]);
    await reader.until("tool.start");
    const { runId, conversationId } = reader.events[0]!.data;
    const other = await host.listenTo(runId);
    await vi.waitFor(async () => expect(await callsOf(host)).toContain("silent"));
    expect((await host.rest("POST", `/v1/conversations/${conversationId}/cancel`)).status).toBe(202);
    await Promise.all([reader.ended, other.ended]);
    expect(other.events).toEqual(reader.events);
    expect(endsOf(reader.events)).toMatchObject([{ event: "error", data: { error: "cancelled" } }]);
    expect(await cancelledOf(host)).toHaveLength(1);
    const { messages } = (await host.rest("GET", `/v1/conversations/${conversationId}/history`)).json;
    expect(messages.at(-1)).toMatchObject({ interrupted: true, toolCalls: [{ ok: false, outcome: "indeterminate" }] });
    const again = await host.ask({ message: "and now?", conversationId }, [{ text: "Here." }]);
    expect(host.place.stub.requests().at(-1)?.last).toContain("raw__silent: nobody knows whether it took effect");
    expect(again).toMatchObject({ status: 200, json: { response: "Here." } });
  });
});
