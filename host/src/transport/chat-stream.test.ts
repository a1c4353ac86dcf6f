import { connect } from "node:net";
import { createParser } from "eventsource-parser";
import { afterEach, describe, expect, it, vi } from "vitest";
import { Refusal } from "../kernel/refusal.ts";
import { KNOWN, type StandInChats } from "./chat-agent-for-tests.ts";
import { readChat, type ChatReader } from "./chat-reader-for-tests.ts";
import { resultOf, type ScriptedRun } from "./chat-run-for-tests.ts";
import { JSON_HEADERS } from "./client-for-tests.ts";
import { openTestDoor, OTHER, type TestDoor, type TestDoorOptions } from "./door-for-tests.ts";

let door: TestDoor;
let chats: StandInChats;
const open = async (options: TestDoorOptions = {}): Promise<void> => {
  door = await openTestDoor({ timings: { closeMs: 50, ...options.timings }, ...options });
  ({ chats } = door.governance);
};
afterEach(async () => {
  await door.listener.close();
  expect(door.listener.load().calls).toBe(0);
});

const stream = (message: string, headers: Record<string, string> = {}): Promise<ChatReader> =>
  readChat(door.origin, { path: "/v1/chat/stream", body: { message }, headers });
const follow = (id: string, headers: Record<string, string> = {}, query = ""): Promise<ChatReader> =>
  readChat(door.origin, { method: "GET", path: `/v1/runs/${id}/events${query}`, headers });
const run = (at = 0): ScriptedRun => chats.runs[at]!;
const idsOf = ({ events }: ChatReader): number[] => events.map(({ id }) => Number(id));
const endsOf = ({ events }: ChatReader): unknown[] =>
  events.filter(({ event }) => event === "done" || event === "error");

describe("a stream", () => {
  it("tells each event with its name and number, and ends with the result", async () => {
    await open();
    const reader = await stream("hello");
    await reader.ended;
    expect(reader.status).toBe(200);
    expect(reader.headers).toMatchObject({
      "content-type": "text/event-stream",
      "cache-control": "no-store",
      "x-accel-buffering": "no",
    });
    const result = resultOf("run_1", KNOWN, "Good morning.\n\u2028é");
    const start = { conversationId: KNOWN, model: "stub:one", skill: null, directTools: 2 };
    expect(reader.events).toEqual([
      { id: "1", event: "chat.start", data: { runId: "run_1", ...start } },
      { id: "2", event: "text.delta", data: { runId: "run_1", text: "Good " } },
      { id: "3", event: "text.delta", data: { runId: "run_1", text: "morning.\n\u2028é" } },
      { id: "4", event: "done", data: result },
    ]);
  });

  it("waits for a person as long as is configured", async () => {
    await open({ limits: { runWaitSeconds: 7 } });
    await (
      await stream("hello")
    ).ended;
    expect(chats.log).toEqual(["chat, wait 7000, by person:owner at rest as bearer"]);
  });

  it("comes as it happens, and has no end but its own", async () => {
    await open();
    const reader = await stream("go");
    await reader.until("chat.start");
    const child = { ...resultOf("run_child", KNOWN, "of the child"), parentRunId: "run_1" };
    run().tell({ type: "tool.start", id: "tc_1", name: "p__echo", parentRunId: "run_1" });
    run().tell({ type: "done", ...child });
    run().tell({ type: "error", error: "cancelled", message: "of the child", parentRunId: "run_1" });
    run().tell({ type: "text.delta", text: "mine" });
    await reader.until("text.delta");
    run().finish("mine");
    await reader.ended;
    expect(reader.events[1]?.data).toMatchObject({ id: "tc_1", parentRunId: "run_1" });
    expect(endsOf(reader)).toMatchObject([{ event: "done", data: { runId: "run_1", response: "mine" } }]);
  });

  it("is kept open by comments", async () => {
    await open({ timings: { commentMs: 10, closeMs: 50 } });
    const reader = await stream("go");
    await vi.waitFor(() => expect(reader.comments.length).toBeGreaterThan(1));
    run().finish("");
    await reader.ended;
    expect(endsOf(reader)).toHaveLength(1);
  });

  it("ends with one error when the run fails", async () => {
    await open();
    const reader = await stream("go");
    run().tell({ type: "text.delta", text: "So f" });
    run().fail(new Refusal("model_failed", { message: "The model is down.", next: "Try again." }));
    await reader.ended;
    expect(reader.events.at(-1)).toEqual({
      id: "3",
      event: "error",
      data: { runId: "run_1", error: "model_failed", message: "The model is down.", remedy: "Try again." },
    });
    expect(endsOf(reader)).toHaveLength(1);
  });

  it.each([
    ["breaks", new Error("secret inside")],
    ["says nothing more", null],
  ])("ends with one error when the run %s, and the log says why", async (_, bug) => {
    await open();
    const reader = await stream("go");
    await reader.until("chat.start");
    run().break(bug);
    await reader.ended;
    expect(reader.events.at(-1)).toEqual({
      id: null,
      event: "error",
      data: { runId: "run_1", error: "internal", message: expect.any(String), remedy: expect.any(String) },
    });
    expect(JSON.stringify(reader.events)).not.toContain("secret");
    expect(endsOf(reader)).toHaveLength(1);
    expect(door.bugs).toHaveLength(1);
  });

  it("ends with one error when its key is revoked, before a word more is said", async () => {
    await open();
    const reader = await stream("go", { authorization: `Bearer ${OTHER}` });
    await reader.until("chat.start");
    door.principals.delete(OTHER);
    run().tell({ type: "text.delta", text: "secret" });
    await reader.ended;
    expect(reader.events.at(-1)).toMatchObject({ event: "error", data: { runId: "run_1", error: "unauthenticated" } });
    expect(JSON.stringify(reader.events)).not.toContain("secret");
    expect(run().hearers).toBe(0);
  });

  it("ends with one error when the host stops", async () => {
    await open();
    const reader = await stream("go");
    await reader.until("chat.start");
    await door.listener.close();
    await reader.ended;
    expect(endsOf(reader)).toMatchObject([{ event: "error", data: { error: "cancelled" } }]);
  });

  it("lets go of the run when its reader leaves, and the run goes on and counts until it has ended", async () => {
    await open();
    const reader = await stream("go");
    await reader.until("chat.start");
    reader.leave();
    await vi.waitFor(() => expect(run().hearers).toBe(0));
    expect(door.listener.load().calls).toBe(1);
    run().tell({ type: "text.delta", text: "still here" });
    const again = await follow("run_1", { "last-event-id": "1" });
    await again.until("text.delta");
    expect(idsOf(again)).toEqual([2]);
    expect(door.listener.load().calls).toBe(2);
    again.leave();
    await vi.waitFor(() => expect(door.listener.load().calls).toBe(1));
    run().finish("Good.");
    await vi.waitFor(() => expect(door.listener.load().calls).toBe(0));
  });

  it("does not pile up for a reader who does not read, and leaves nothing out", async () => {
    await open();
    const reader = await stream("go");
    await reader.until("chat.start");
    reader.pause();
    const filler = "x".repeat(100_000);
    for (let n = 0; n < 300; n++) {
      run().tell({ type: "text.delta", text: filler });
      await new Promise(setImmediate);
    }
    run().finish("");
    expect(run().taken).toBeLessThan(300);
    reader.resume();
    await reader.ended;
    expect(idsOf(reader)).toEqual(Array.from({ length: 302 }, (_, index) => index + 1));
    expect(run().taken).toBe(302);
  });

  it("is given up for a reader who neither reads nor stays", async () => {
    await open();
    const reader = await stream("go");
    reader.pause();
    for (let n = 0; n < 300; n++) run().tell({ type: "text.delta", text: "x".repeat(100_000) });
    await vi.waitFor(() => expect(run().taken).toBeGreaterThan(1));
    reader.leave();
    await vi.waitFor(() => expect(run().hearers).toBe(0));
    expect(run().taken).toBeLessThan(300);
  });
});

describe("frames", () => {
  it("cut anywhere mean the same", async () => {
    await open();
    await (
      await stream("hello")
    ).ended;
    const whole = await new Promise<Buffer>((resolve, reject) => {
      const chunks: Buffer[] = [];
      const socket = connect(Number(new URL(door.origin).port), "127.0.0.1");
      const head = `authorization: ${JSON_HEADERS.authorization}\r\nhost: localhost\r\nconnection: close\r\n`;
      // Without chunks in the way.
      socket.write(`GET /v1/runs/run_1/events HTTP/1.0\r\n${head}\r\n`);
      socket.on("data", (chunk: Buffer) => chunks.push(chunk));
      socket.on("error", reject);
      socket.on("close", () => resolve(Buffer.concat(chunks)));
    });
    const body = whole.subarray(whole.indexOf("\r\n\r\n") + 4);
    const read = (pieces: readonly Buffer[]): unknown[] => {
      const events: unknown[] = [];
      const decoder = new TextDecoder();
      const parser = createParser({ onEvent: (event) => void events.push(event) });
      for (const piece of pieces) parser.feed(decoder.decode(piece, { stream: true }));
      return events;
    };
    const expected = read([body]);
    expect(expected).toHaveLength(4);
    for (let at = 1; at < body.length; at++) {
      expect(read([body.subarray(0, at), body.subarray(at)])).toEqual(expected);
    }
    const lines = body.toString().trimEnd().split("\n");
    expect(lines.every((line) => line === "" || /^(id|event|data): /.test(line))).toBe(true);
  });
});
