import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterEach, describe, expect, it } from "vitest";
import type { ChatResult, RunEvent } from "../kernel/agent.ts";
import { Refusal } from "../kernel/refusal.ts";
import { askHost, parseObject, readRefusal, type Ask } from "./ask-host.ts";
import { attachChat } from "./attach-chat.ts";
import type { ChatControl, ChatSession } from "./chat-control.ts";

const CONV = "conv_0123456789abcdef";
const runId = "run_1";

const result: ChatResult = {
  response: "Hello there",
  conversationId: CONV,
  runId,
  skillName: null,
  toolCalls: [],
  stopReason: "complete",
  finishReason: "stop",
  inputTokens: 3,
  outputTokens: 2,
  usage: {
    inputTokens: 3,
    outputTokens: 2,
    cacheCreationTokens: 0,
    cacheReadTokens: 0,
    costUsd: null,
    model: "m",
    llmMs: 1,
    iterations: 1,
    estimated: false,
  },
};
const start: RunEvent = { runId, type: "chat.start", conversationId: CONV, model: "m", skill: null, directTools: 0 };
const EVENTS: readonly RunEvent[] = [
  start,
  { runId, type: "text.delta", text: "Hello" },
  { type: "done", ...result, runId: "run_2", parentRunId: runId, response: "of a child" },
  { runId, type: "text.delta", text: " there" },
  { type: "done", ...result },
];

interface Asked {
  readonly what: string;
  readonly after: string | undefined;
  readonly body: string;
}

let server: Server | null = null;
const asked: Asked[] = [];
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
  asked.length = 0;
});

type Answer = (res: ServerResponse, seen: Asked, count: number) => void;

const attach = async (answer: Answer): Promise<ChatControl> => {
  const listener = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const after = req.headers["last-event-id"];
    const seen = { what: `${req.method} ${req.url}`, after: after?.toString(), body: await text(req) };
    asked.push(seen);
    answer(res, seen, asked.length);
  };
  const opened = createServer((req, res) => void listener(req, res));
  server = opened;
  await new Promise<void>((resolve) => {
    opened.listen(0, "127.0.0.1", resolve);
  });
  const host = { origin: `http://127.0.0.1:${(opened.address() as AddressInfo).port}`, key: "bw_x" };
  const ask: Ask = async <T extends object>(question: Parameters<Ask>[0]) => {
    const reply = await askHost(host, question);
    if (reply.status > 299) throw readRefusal(reply);
    return parseObject(reply.text) as T;
  };
  return attachChat(host, ask);
};

const frame = (index: number): string => {
  const { type, ...data } = EVENTS[index] as RunEvent;
  return `event: ${type}\nid: ${index + 1}\ndata: ${JSON.stringify(data)}\n\n`;
};

const stream = (res: ServerResponse): ServerResponse => res.writeHead(200, { "content-type": "text/event-stream" });

const take = async ({ stream: events }: Pick<ChatSession, "stream">): Promise<RunEvent[]> => {
  const heard: RunEvent[] = [];
  for await (const event of events) heard.push(event);
  return heard;
};

const refusalOf = async (promise: Promise<unknown>): Promise<Refusal> => {
  const error: unknown = await promise.catch((caught: unknown) => caught);
  if (error instanceof Refusal) return error;
  throw new Error("was not refused");
};

describe("a message to a host in another process", () => {
  it("tells every event to each who listens, and gives the result", async () => {
    const host = await attach((res) => void stream(res).end(EVENTS.map((_, index) => frame(index)).join(": hi\n\n")));
    const chat = host.chat("Hi", { conversationId: CONV, skill: false, maxIterations: 3 });
    expect(await chat.result).toEqual(result);
    expect(await take(chat)).toEqual(EVENTS);
    expect(await take(chat)).toEqual(EVENTS);
    expect(asked).toHaveLength(1);
    expect(asked[0]?.what).toBe("POST /v1/chat/stream");
    expect(JSON.parse(asked[0]?.body ?? "")).toEqual({
      message: "Hi",
      conversationId: CONV,
      skill: false,
      maxIterations: 3,
    });
  });

  it.each([1, 2, 3, 4])("is heard once and whole when the connection breaks after event %i", async (cut) => {
    const host = await attach((res, { what, after }) => {
      if (what.startsWith("POST")) {
        // The break comes in the middle of an event.
        stream(res).write(
          `${EVENTS.slice(0, cut)
            .map((_, index) => frame(index))
            .join("")}${frame(cut).slice(0, 20)}`,
          () => res.destroy(),
        );
        return;
      }
      // One that repeats what was heard already changes nothing.
      const from = Math.max(0, Number(after) - 1);
      stream(res).end(
        EVENTS.slice(from)
          .map((_, index) => frame(from + index))
          .join(""),
      );
    });
    const chat = host.chat("Hi");
    expect(await take(chat)).toEqual(EVENTS);
    expect(await chat.result).toEqual(result);
    expect(asked.map(({ what }) => what)).toEqual(["POST /v1/chat/stream", `GET /v1/runs/${runId}/events`]);
    expect(asked[1]?.after).toBe(String(cut));
  });

  it("goes on after several breaks, and while the host is busy", async () => {
    const host = await attach((res, _, count) => {
      if (count === 2)
        res.writeHead(503).end(JSON.stringify({ error: "not_ready", message: "Soon.", remedy: "Wait." }));
      else if (count === 1) stream(res).write(frame(0), () => res.destroy());
      else stream(res).end(frame(count - 2));
    });
    const chat = host.chat("Hi");
    await chat.result;
    expect(await take(chat)).toEqual(EVENTS);
    expect(asked.map(({ after }) => after)).toEqual([undefined, "1", "1", "2", "3", "4"]);
  });

  it("that is refused before there is a run is never sent again", async () => {
    const no = { error: "model_unconfigured", message: "No key.", remedy: "Set ANTHROPIC_API_KEY." };
    const host = await attach((res) => void res.writeHead(503).end(JSON.stringify(no)));
    const chat = host.chat("Hi");
    expect(await refusalOf(chat.result)).toMatchObject({ kind: "model_unconfigured", next: no.remedy });
    expect((await refusalOf(take(chat))).message).toBe("No key.");
    expect(asked).toHaveLength(1);
  });

  it("of unknown outcome says so: the connection ended before the first event", async () => {
    const host = await attach((res) => void res.destroy());
    expect(await refusalOf(host.chat("Hi").result)).toMatchObject({ kind: "indeterminate" });
    expect(asked).toHaveLength(1);
  });

  it("whose run the host does not know any more is of unknown outcome, with the conversation to go on with", async () => {
    const host = await attach((res, { what }) => {
      if (what.startsWith("POST")) stream(res).end(frame(0));
      else res.writeHead(404).end(JSON.stringify({ error: "not_found", message: "No run.", remedy: "Look." }));
    });
    const chat = host.chat("Hi");
    const refusal = await refusalOf(chat.result);
    expect(refusal.kind).toBe("indeterminate");
    expect(refusal.next).toContain(`bailiwick chat --resume ${CONV}`);
    expect(await refusalOf(take(chat))).toBe(refusal);
  });

  it("that ends with an error tells it in the stream and refuses the result", async () => {
    const error = { runId, error: "model_failed", message: "It is down.", remedy: "Try later." };
    const host = await attach((res) => {
      stream(res).end(`${frame(0)}event: error\nid: 2\ndata: ${JSON.stringify(error)}\n\n`);
    });
    const chat = host.chat("Hi");
    expect(await refusalOf(chat.result)).toMatchObject({ kind: "model_failed", next: "Try later." });
    expect(await take(chat)).toEqual([start, { type: "error", ...error }]);
  });

  it("is cancelled by its signal, and still told to the end", async () => {
    let open: ServerResponse | null = null;
    const host = await attach((res, { what }) => {
      if (what === "POST /v1/chat/stream") {
        open = stream(res);
        open.write(frame(0));
        return;
      }
      res.writeHead(202).end();
      const error = { runId, error: "cancelled", message: "Cancelled.", remedy: "Send it again." };
      open?.end(`event: error\nid: 2\ndata: ${JSON.stringify(error)}\n\n`);
    });
    const cancel = new AbortController();
    const chat = host.chat("Hi", { signal: cancel.signal });
    for await (const _ of chat.stream) cancel.abort();
    expect((await refusalOf(chat.result)).kind).toBe("cancelled");
    expect(asked.map(({ what }) => what)).toEqual(["POST /v1/chat/stream", `POST /v1/conversations/${CONV}/cancel`]);
  });
});

describe("conversations, prompts and matches of a host in another process", () => {
  const json =
    (body: object, status = 200): Answer =>
    (res) =>
      void res.writeHead(status).end(JSON.stringify(body));

  it.each<[string, (host: ChatControl) => Promise<unknown>, object, string]>([
    [
      "GET /v1/conversations?limit=5&search=a+b&sortBy=createdAt",
      (host) => host.conversations.list({ limit: 5, search: "a b", sortBy: "createdAt", cursor: null }),
      { conversations: [], nextCursor: null, totalCount: 0 },
      "",
    ],
    [`GET /v1/conversations/${CONV}/history`, (host) => host.conversations.history(CONV), { messages: [] }, ""],
    [`PATCH /v1/conversations/${CONV}`, (host) => host.conversations.rename(CONV, "T"), { id: CONV }, '{"title":"T"}'],
    [
      `POST /v1/conversations/${CONV}/fork`,
      (host) => host.conversations.fork(CONV, 0),
      { id: CONV },
      '{"atMessage":0}',
    ],
    [`POST /v1/conversations/${CONV}/fork`, (host) => host.conversations.fork(CONV), { id: CONV }, "{}"],
    ["POST /v1/prompt", (host) => host.prompt({ message: "m", skill: "s" }), {}, '{"message":"m","skill":"s"}'],
    ["POST /v1/skills/match", (host) => host.match({ message: "m", skill: null }), {}, '{"message":"m"}'],
    [
      "POST /v1/skills/match",
      (host) => host.match({ message: "m", skill: false }),
      {},
      '{"message":"m","skill":false}',
    ],
    ["GET /v1/conversations/..%2Fx/history", (host) => host.conversations.history("../x"), { messages: [] }, ""],
  ])("%s", async (what, use, reply, body) => {
    await use(await attach(json(reply)));
    expect(asked.map((each) => [each.what, each.body])).toEqual([[what, body]]);
  });

  it("are deleted, or the refusal is heard", async () => {
    const host = await attach((res, _, count) => {
      if (count === 1) res.writeHead(204).end();
      else res.writeHead(404).end(JSON.stringify({ error: "not_found", message: "No.", remedy: "List them." }));
    });
    await host.conversations.delete(CONV);
    expect(asked[0]?.what).toBe(`DELETE /v1/conversations/${CONV}`);
    expect(await refusalOf(host.conversations.delete(CONV))).toMatchObject({ kind: "not_found", next: "List them." });
  });
});
