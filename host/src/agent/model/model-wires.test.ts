/** One model call over real HTTP, on both wires: what is sent, what comes back, and how it is given up. */
import { describe, expect, test } from "vitest";
import type { ModelEvent, ModelRequest } from "../../kernel/model.ts";
import { collect, fail, KEY, ON_WIRES, OTHER_KEY, requestFor, startModels } from "./models-for-tests.ts";
import type { StubTurn } from "./stub-turn-for-tests.ts";

const TOOL = { name: "a__b", description: "b", inputSchema: { type: "object" } };

const answer = async (model: string, turn: StubTurn): Promise<ModelEvent[]> => {
  const { stub, models } = await startModels();
  stub.script([turn]);
  return collect(models.call(requestFor(model)));
};

describe.each(ON_WIRES)("on %s", (wire, model) => {
  test("text comes in the pieces in which the model sent it, and one done ends it", async () => {
    expect(
      await answer(model, { reasoning: "hm", text: ["He", "llo ", "\u00fc\u{1f600}"], usage: { input: 7, output: 3 } }),
    ).toEqual([
      { type: "text", text: "He" },
      { type: "text", text: "llo " },
      { type: "text", text: "\u00fc\u{1f600}" },
      {
        type: "done",
        finish: "stop",
        usage: { inputTokens: 7, outputTokens: 3, cacheReadTokens: 0, cacheCreationTokens: 0, estimated: false },
        model,
      },
    ]);
  });

  test("several calls come in the order of the model, with the arguments as it wrote them", async () => {
    const events = await answer(model, {
      text: "I look.",
      calls: [
        { id: "c1", name: "a__b", inputText: '{"x": 1.0,"y":[ ]}' },
        { id: "c2", name: "c__d", inputText: "" },
      ],
    });
    expect(events.slice(1, 3)).toEqual([
      { type: "call", call: { id: "c1", name: "a__b", input: { x: 1, y: [] }, inputText: '{"x": 1.0,"y":[ ]}' } },
      { type: "call", call: { id: "c2", name: "c__d", input: {}, inputText: "{}" } },
    ]);
    expect(events.at(-1)).toMatchObject({ type: "done", finish: "tool-calls" });
  });

  test.each(['{"x":', "[1]", '"x"', "null", "{x:1}", '{"x":1}}'])("arguments %s have no input", async (inputText) => {
    const [event] = await answer(model, { calls: [{ name: "a__b", inputText }] });
    expect(event).toMatchObject({ type: "call", call: { input: null, inputText } });
  });

  test("a call that was cut before its first argument is not one without arguments", async () => {
    const calls = [
      { name: "a__b", inputText: "" },
      { name: "c__d", inputText: "" },
    ];
    const events = await answer(model, { calls, finish: "length" });
    expect(events.map((event) => (event.type === "call" ? event.call.input : event.type))).toEqual([{}, null, "done"]);
    expect(events.at(-1)).toMatchObject({ finish: "length" });
  });

  test("calls that claim the same id get ids of their own", async () => {
    const calls = [
      { id: "same", name: "a__b" },
      { id: "same", name: "a__b" },
      { id: "odd id:1", name: "a__b" },
    ];
    const events = await answer(model, { calls });
    const ids = events.flatMap((event) => (event.type === "call" ? [event.call.id] : []));
    expect(new Set(ids).size).toBe(3);
    for (const id of ids) expect(id).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
  });

  test("a thousand calls at once all come", async () => {
    const calls = Array.from({ length: 1000 }, (_, i) => ({ name: `t__${i}`, input: { i } }));
    const events = await answer(model, { calls });
    expect(events.flatMap((event) => (event.type === "call" ? [event.call.input] : []))).toEqual(
      calls.map(({ input }) => input),
    );
  });

  test.each([
    ["stop", "stop"],
    ["length", "length"],
    ["content-filter", "content-filter"],
    ["tool-calls", "other"],
    ["something new", "other"],
  ])("an answer that ended by %s ends as %s", async (finish, expected) => {
    expect((await answer(model, { text: "x", finish })).at(-1)).toMatchObject({ finish: expected });
  });

  test("calls beside the reason stop are tool-calls", async () => {
    expect((await answer(model, { calls: [{ name: "a__b" }], finish: "stop" })).at(-1)).toMatchObject({
      finish: "tool-calls",
    });
  });

  test("without a report, four characters count as a token", async () => {
    const { stub, models } = await startModels();
    stub.script([{ text: "123456789", usage: null }]);
    const request = requestFor(model, { stable: "1234", varying: "5678", messages: [{ role: "user", text: "90123" }] });
    const events = await collect(models.call(request));
    expect(events.at(-1)).toMatchObject({ usage: { inputTokens: 4, outputTokens: 3, estimated: true } });
  });

  test("nothing is tried twice", async () => {
    const { stub, models } = await startModels();
    stub.script([{ error: { status: 529 } }, { text: "late" }]);
    await fail(models.call(requestFor(model)));
    expect(stub.requests()).toHaveLength(1);
  });

  test.each([
    ["before the answer", { error: "hang" }],
    ["in the middle of it", { text: "x", fault: "hang" }],
  ] as const)(
    "a cancelled call ends with the reason of who cancelled it, %s, and the provider sees it",
    async (_, turn) => {
      const { stub, models } = await startModels();
      stub.script([turn]);
      const control = new AbortController();
      const failed = fail(models.call(requestFor(model, { signal: control.signal })));
      await stub.arrived(1);
      const reason = new Error("the person pressed stop");
      control.abort(reason);
      expect((await failed).error).toBe(reason);
      await expect.poll(() => stub.requests()[0]?.left).toBe(true);
    },
  );

  test("a call cancelled before it began sends nothing", async () => {
    const { stub, models } = await startModels();
    await fail(models.call(requestFor(model, { signal: AbortSignal.abort() })));
    expect(stub.requests()).toHaveLength(0);
  });

  test("who stops listening closes the connection", async () => {
    const { stub, models } = await startModels();
    stub.script([{ text: "x", fault: "hang" }]);
    for await (const event of models.call(requestFor(model))) {
      expect(event).toEqual({ type: "text", text: "x" });
      break;
    }
    await expect.poll(() => stub.requests()[0]?.left).toBe(true);
  });

  test("tools, limit and key are sent, and only the key of that provider", async () => {
    const { stub, models } = await startModels();
    stub.script([{}]);
    await collect(models.call(requestFor(model, { tools: [TOOL] })));
    const [request] = stub.requests();
    expect(request).toMatchObject({
      system: "You are a host.",
      tools: ["a__b"],
      last: "Hello",
      body: { max_tokens: 100, stream: true },
    });
    const isAnthropic = wire.startsWith("Anthropic");
    expect(request?.headers[isAnthropic ? "x-api-key" : "authorization"]).toBe(
      isAnthropic ? KEY : `Bearer ${OTHER_KEY}`,
    );
    expect(JSON.stringify(request)).not.toContain(isAnthropic ? OTHER_KEY : KEY);
  });
});

const history: ModelRequest["messages"] = [
  { role: "user", text: "Which are new?" },
  {
    role: "assistant",
    text: "I look.",
    calls: [
      { id: "c1", name: "a__b", input: { x: 1 }, inputText: '{"x":1}' },
      { id: "c2", name: "c__d", input: null, inputText: '{"x":' },
    ],
  },
  {
    role: "tool",
    results: [
      { callId: "c1", name: "a__b", text: "two", isError: false },
      { callId: "c2", name: "c__d", text: "the arguments were cut", isError: true },
    ],
  },
];

test("Anthropic's wire gets a breakpoint after the tools and one after the stable layers, and nothing else is marked", async () => {
  const { stub, models } = await startModels();
  stub.script([{}]);
  const tools = [TOOL, { ...TOOL, name: "c__d" }];
  await collect(
    models.call(requestFor("claude-sonnet-4-5-20250929", { varying: "\n\n---\n\nSkill.", messages: history, tools })),
  );
  const body = stub.requests()[0]?.body ?? {};
  const mark = { type: "ephemeral" };
  expect(body["tools"]).toEqual([
    { name: "a__b", description: "b", input_schema: { type: "object" } },
    { name: "c__d", description: "b", input_schema: { type: "object" }, cache_control: mark },
  ]);
  expect(stub.requests()[0]?.results).toEqual([
    { id: "c1", text: "two" },
    { id: "c2", text: "the arguments were cut" },
  ]);
  expect(body["system"]).toEqual([
    { type: "text", text: "You are a host.", cache_control: mark },
    { type: "text", text: "\n\n---\n\nSkill." },
  ]);
  expect(body["messages"]).toEqual([
    { role: "user", content: [{ type: "text", text: "Which are new?" }] },
    {
      role: "assistant",
      content: [
        { type: "text", text: "I look." },
        { type: "tool_use", id: "c1", name: "a__b", input: { x: 1 } },
        { type: "tool_use", id: "c2", name: "c__d", input: {} },
      ],
    },
    {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "c1", content: "two" },
        { type: "tool_result", tool_use_id: "c2", content: "the arguments were cut", is_error: true },
      ],
    },
  ]);
});

test("Anthropic's report of the cache is part of the input and told apart", async () => {
  const events = await answer("claude-sonnet-4-5-20250929", {
    usage: { input: 100, output: 5, cacheRead: 60, cacheWrite: 30 },
  });
  expect(events.at(-1)).toMatchObject({
    usage: { inputTokens: 100, outputTokens: 5, cacheReadTokens: 60, cacheCreationTokens: 30, estimated: false },
  });
});

test("the OpenAI-compatible wire gets one system message and each result as a message", async () => {
  const { stub, models } = await startModels();
  stub.script([{ usage: { input: 100, output: 5, cacheRead: 60 } }]);
  const events = await collect(
    models.call(requestFor("local:some-model", { varying: "\n\n---\n\nSkill.", messages: history })),
  );
  expect(events.at(-1)).toMatchObject({ usage: { inputTokens: 100, cacheReadTokens: 60, cacheCreationTokens: 0 } });
  const body = stub.requests()[0]?.body ?? {};
  expect(stub.requests()[0]?.results.map(({ id }) => id)).toEqual(["c1", "c2"]);
  expect(body["stream_options"]).toEqual({ include_usage: true });
  expect(body["messages"]).toMatchObject([
    { role: "system", content: "You are a host.\n\n---\n\nSkill." },
    { role: "user", content: "Which are new?" },
    {
      role: "assistant",
      content: "I look.",
      tool_calls: [{ id: "c1", function: { arguments: '{"x":1}' } }, { id: "c2" }],
    },
    { role: "tool", tool_call_id: "c1", content: "two" },
    { role: "tool", tool_call_id: "c2", content: "the arguments were cut" },
  ]);
});
