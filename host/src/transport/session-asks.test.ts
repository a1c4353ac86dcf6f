import { afterEach, describe, expect, it } from "vitest";
import { rawJson } from "../kernel/raw-json.ts";
import { askingCall } from "./asking-call-for-tests.ts";
import { openSession } from "./client-for-tests.ts";
import { openTestDoor, OWNER, type TestDoor } from "./door-for-tests.ts";
import { SessionAsks } from "./session-asks.ts";
import { openStream } from "./stream-for-tests.ts";
import { openTalk } from "./talk-for-tests.ts";

const { signal } = new AbortController();

describe("a question to a client that left before it was asked", () => {
  it.each([
    ["elicitation/create", { kind: "result", json: '{"action":"cancel"}' }],
    ["sampling/createMessage", { kind: "error", code: -32603 }],
  ] as const)("is answered at once: %s", async (method, answer) => {
    const asks = new SessionAsks(600, () => {});
    const ask = { method, params: rawJson("{}"), key: null };
    expect(await asks.ask({ ask, signal, write: () => false })).toMatchObject(answer);
    expect(asks.size).toBe(0);
  });
});

describe("answers in an array of messages", () => {
  let door: TestDoor;
  afterEach(() => door.listener.close());

  const QUESTIONS = { name: "x", arguments: { rounds: [[{ message: "a" }, { message: "b" }]] } };
  const ASKS = { elicitation: {} };
  const isAsk =
    (text: string) =>
    ({ method, params }: any): boolean =>
      method === "elicitation/create" && params.message === text;
  const answers = (a: any, b: any): object[] => [
    { jsonrpc: "2.0", id: b.id, result: { action: "decline" } },
    { jsonrpc: "2.0", id: a.id, result: { action: "accept", content: { n: 1 } } },
  ];
  const SAID = [{ action: "accept", content: { n: 1 } }, { action: "decline" }];

  it("reach the server, and what stands beside them is answered", async () => {
    door = await openTestDoor({ handleCall: askingCall });
    const session = await openSession(door.origin, "2025-03-26", "/mcp", OWNER, ASKS);
    const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params: QUESTIONS };
    const stream = openStream(door.origin, { headers: session.headers, body });
    const [a, b] = [await stream.until(isAsk("a")), await stream.until(isAsk("b"))];
    const said = await session.post([...answers(a.message, b.message), { jsonrpc: "2.0", id: 9, method: "ping" }]);
    expect(said.json).toEqual([{ jsonrpc: "2.0", id: 9, result: {} }]);
    const { message: end } = await stream.until(({ id, method }) => id === 1 && method === undefined);
    expect(end.result.said).toEqual(SAID);
  });

  it("reach it from a pipe too", async () => {
    door = await openTestDoor({ handleCall: askingCall, timings: { closeMs: 200 } });
    const talk = openTalk(door);
    await talk.initialize(ASKS, "2025-03-26");
    talk.request(1, "tools/call", QUESTIONS);
    const [a, b] = [await talk.until(isAsk("a")), await talk.until(isAsk("b"))];
    talk.write(`${JSON.stringify(answers(a, b))}\n`);
    expect((await talk.answer(1)).result.said).toEqual(SAID);
    talk.drop();
  });
});
