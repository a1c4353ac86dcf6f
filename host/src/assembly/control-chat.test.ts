import { describe, expect, it } from "vitest";
import type { Agent, AgentRun, Chatter, ChatOrder, ChatResult, NumberedEvent, RunEvent } from "../kernel/agent.ts";
import type { Principal } from "../kernel/principal.ts";
import { Refusal } from "../kernel/refusal.ts";
import { controlChat } from "./control-chat.ts";

const local: Principal = {
  id: "person:owner",
  kind: "person",
  onBehalfOf: null,
  roles: [],
  permissions: [],
  assurance: "local",
  scopes: null,
  workspace: "ws_default",
  credentialId: "local",
};
const by: Chatter = { principal: local, presented: { kind: "local", workspace: "ws_default" }, door: "program" };

const EVENTS: readonly RunEvent[] = [
  { runId: "r", type: "text.delta", text: "a" },
  { runId: "r", type: "text.delta", text: "b" },
];

/** A run that ends when it is told to, and knows how many listen. */
const openRun = () => {
  const { promise, resolve, reject } = Promise.withResolvers<ChatResult>();
  const ended = promise.catch(() => {});
  let listeners = 0;
  const run: AgentRun = {
    id: "r",
    conversationId: "conv_1",
    result: promise,
    cancel: () => reject(new Refusal("cancelled", { message: "Cancelled.", next: "Again." })),
    async *events(after, signal): AsyncGenerator<NumberedEvent, void> {
      listeners++;
      try {
        for (const [index, event] of EVENTS.entries()) if (index >= after) yield { id: index + 1, event };
        const aborted = new Promise<void>((done) => {
          signal.addEventListener("abort", () => done(), { once: true });
        });
        await Promise.race([ended, aborted]);
      } finally {
        listeners--;
      }
    },
  };
  return { run, end: () => resolve({ response: "ab" } as ChatResult), listeners: () => listeners };
};

const take = async (stream: AsyncIterable<RunEvent>): Promise<RunEvent[]> => {
  const heard: RunEvent[] = [];
  for await (const event of stream) heard.push(event);
  return heard;
};

const agentOf = (chat: Agent["chat"]): Agent => ({ chat }) as Agent;

describe("a message to the agent of this process", () => {
  it("runs to its end though nobody takes the stream, which can be taken afterwards", async () => {
    const { run, end, listeners } = openRun();
    const orders: { order: ChatOrder; waitMs: number }[] = [];
    const agent = agentOf(async (order, _by, { waitMs }) => {
      orders.push({ order, waitMs });
      return run;
    });
    const [app, fileRefs, metadata] = [{ appName: "Files", serverName: "files" }, ["files://fl_1"], { ticket: 7 }];
    const options = { skill: false, app, fileRefs, metadata } as const;
    const chat = controlChat(agent, { by, waitMs: () => 300_000 }).chat("Hi", options);
    await new Promise(setImmediate);
    expect(listeners()).toBe(1);
    end();
    expect(await chat.result).toEqual({ response: "ab" });
    expect(listeners()).toBe(0);
    expect(await take(chat.stream)).toEqual(EVENTS);
    expect(orders).toMatchObject([{ waitMs: 300_000, order: { message: "Hi", conversationId: null, ...options } }]);
  });

  it("is cancelled by its signal", async () => {
    const { run } = openRun();
    const cancel = new AbortController();
    const chat = controlChat(
      agentOf(async () => run),
      { by, waitMs: () => 0 },
    ).chat("Hi", { signal: cancel.signal });
    cancel.abort();
    await expect(chat.result).rejects.toThrow("Cancelled.");
  });

  it("is never sent with a signal that is aborted already", async () => {
    const chat = controlChat(
      agentOf(() => {
        throw new Error("was sent");
      }),
      { by, waitMs: () => 0 },
    ).chat("Hi", { signal: AbortSignal.abort() });
    await expect(chat.result).rejects.toMatchObject({ kind: "cancelled" });
  });

  it("that is refused says so in both places, and nothing is left unhandled", async () => {
    const no = new Refusal("model_unconfigured", { message: "No key.", next: "Set it." });
    const chat = controlChat(
      agentOf(() => Promise.reject(no)),
      { by, waitMs: () => 0 },
    ).chat("Hi");
    await expect(take(chat.stream)).rejects.toBe(no);
    await expect(chat.result).rejects.toBe(no);
  });
});
