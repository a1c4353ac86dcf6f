import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Conversations, StoredMessage } from "../../kernel/conversation.ts";
import { HostError } from "../../kernel/host-error.ts";
import { answer, QUERY, question, refusalOf, STORES } from "./conversations-for-tests.ts";

const WHOLE: StoredMessage = {
  role: "assistant",
  content: "I will look.",
  ts: "2026-11-15T10:30:01.000Z",
  toolCalls: [
    {
      id: "tc_1",
      name: "bash__exec",
      input: { command: "ls", ["__proto__"]: 1, list: [1, [2]] },
      output: "a\u0000b \ud800",
      ok: true,
      ms: 41,
      outcome: "success",
      evidenceId: "ev_1",
    },
    {
      id: "tc_2",
      name: "bash__exec",
      input: null,
      output: "",
      ok: false,
      ms: 0,
      outcome: null,
      dropped: "token_budget",
    },
  ],
  skill: "reports",
  model: "anthropic:m",
  inputTokens: 1250,
  outputTokens: 45,
  files: ["files://fl_1"],
  runId: "run_1",
  stopReason: "complete",
  interrupted: true,
};

/** Of everything that can be asked with an id. */
const kindsOf = async (store: Conversations, id: string): Promise<string[]> => {
  const asked = [store.open(id), store.fork(id, null), store.rename(id, "x"), store.delete(id)];
  const refusals = await Promise.all(asked.map(refusalOf));
  return refusals.map(({ kind }) => kind);
};

describe.each(Object.entries(STORES))("conversations %s", (_where, openStore) => {
  it("give back every message as it was, in the order of appending", async () => {
    const store = openStore();
    const { id } = await store.create();
    const conversation = await store.open(id);
    await Promise.all([question("one"), WHOLE, question("three")].map((message) => conversation.append(message)));
    expect(conversation.messages.map(({ content }) => content)).toEqual(["one", "I will look.", "three"]);
    expect(conversation.messages[1]).toEqual(WHOLE);
    expect(conversation.defect).toBeNull();
  });

  it("keep what was said, whatever it is", async () => {
    const store = openStore();
    const { id } = await store.create();
    const conversation = await store.open(id);
    const anyText = fc.string({ unit: "binary", maxLength: 200 });
    const anyCodes = fc.array(fc.integer({ min: 0, max: 0xffff })).map((codes) => String.fromCharCode(...codes));
    await fc.assert(
      fc.asyncProperty(fc.oneof(anyText, anyCodes), fc.jsonValue(), async (content, input) => {
        const call = { id: "c", name: "p__t", input, output: content, ok: true, ms: 1, outcome: "success" as const };
        const message = answer(content, { toolCalls: [call] });
        await conversation.append(message);
        expect(conversation.messages.at(-1)).toEqual(JSON.parse(JSON.stringify(message)));
      }),
      { numRuns: 60 },
    );
  });

  it("are one object, whoever opens them, and not the caller's", async () => {
    const store = openStore();
    const { id } = await store.create();
    const [one, other] = await Promise.all([store.open(id), store.open(id)]);
    expect(one).toBe(other);
    for (let n = 0; n < 20; n++) await store.open((await store.create()).id);
    expect(await store.open(id)).toBe(one);
    const input = { n: 1 };
    await one.append(
      answer("x", { toolCalls: [{ id: "c", name: "p__t", input, output: "", ok: true, ms: 1, outcome: null }] }),
    );
    input.n = 2;
    expect((await store.open(id)).messages[0]?.toolCalls?.[0]?.input).toEqual({ n: 1 });
  });

  it("say what they are about, how long they are and what they cost", async () => {
    const store = openStore();
    const { id, createdAt } = await store.create();
    const conversation = await store.open(id);
    expect(conversation.summary()).toMatchObject({ id, createdAt, updatedAt: createdAt, messageCount: 0, preview: "" });
    expect(conversation.summary()).toMatchObject({ title: "New conversation", totalCostUsd: null });
    const ts = new Date(Date.now() + 60_000).toISOString();
    await conversation.append(question("\u0007 Which\nreports\u202e are new? ".padEnd(300, "x")));
    await conversation.append(answer("", { inputTokens: 10, outputTokens: 1 }), 0.25);
    await conversation.append(answer("Three.", { ts, inputTokens: 5, outputTokens: 2 }), 0.5);
    await conversation.append(answer(""), null);
    expect(conversation.summary()).toEqual({
      id,
      createdAt,
      updatedAt: ts,
      title: `Which reports are new? ${"x".repeat(57)}`,
      messageCount: 4,
      preview: "Three.",
      totalInputTokens: 15,
      totalOutputTokens: 3,
      totalCostUsd: 0.75,
    });
    expect((await store.list(QUERY)).conversations).toEqual([conversation.summary()]);
  });

  it("get the title that somebody gives, on one line, and keep it", async () => {
    const store = openStore();
    const { id } = await store.create();
    const renamed = await store.rename(id, "  Q3\r\n\u001b[31m reports  ");
    expect(renamed.title).toBe("Q3 [31m reports");
    const conversation = await store.open(id);
    await conversation.append(question("something else"));
    expect(conversation.summary().title).toBe("Q3 [31m reports");
    expect((await store.rename(id, "\u{1f600}".repeat(200))).title).toBe("\u{1f600}".repeat(64));
    expect((await store.rename(id, `x${"\u{1f600}".repeat(200)}`)).title).toBe(`x${"\u{1f600}".repeat(63)}`);
    expect(await refusalOf(store.rename(id, " \u0000\n "))).toMatchObject({ kind: "bad_request" });
  });

  it("are copied up to a message, and go on apart from each other", async () => {
    const store = openStore();
    const { id } = await store.create();
    const conversation = await store.open(id);
    for (const text of ["a", "b", "c"]) await conversation.append(question(text, { inputTokens: 1 }), 1);
    const fork = await store.fork(id, 2);
    expect(fork).toMatchObject({ messageCount: 2, title: "a", preview: "b", totalInputTokens: 2, totalCostUsd: 2 });
    const forked = await store.open(fork.id);
    expect(forked.head).toMatchObject({ id: fork.id, forkedFrom: { id, atMessage: 2 } });
    await forked.append(question("d"));
    expect(forked.messages.map(({ content }) => content)).toEqual(["a", "b", "d"]);
    expect(conversation.messages.map(({ content }) => content)).toEqual(["a", "b", "c"]);
    for (const [at, count] of [
      [null, 3],
      [0, 0],
      [99, 3],
    ] as const) {
      const { id: copy, messageCount } = await store.fork(id, at);
      expect(messageCount).toBe(count);
      expect((await store.open(copy)).head.forkedFrom).toEqual({ id, atMessage: count });
    }
    for (const at of [-1, 1.5, Number.NaN]) {
      expect(await refusalOf(store.fork(id, at))).toMatchObject({ kind: "bad_request" });
    }
  });

  it("are gone when deleted, also for who still has one open", async () => {
    const store = openStore();
    const { id } = await store.create();
    const conversation = await store.open(id);
    await conversation.append(question("a"));
    const [last] = await Promise.allSettled([conversation.append(question("b")), store.delete(id)]);
    expect(last.status).toBe("fulfilled");
    expect(await refusalOf(conversation.append(question("c")))).toMatchObject({ kind: "not_found" });
    expect((await store.list(QUERY)).totalCount).toBe(0);
    expect(await kindsOf(store, id)).toEqual(["not_found", "not_found", "not_found", "not_found"]);
  });

  it("are asked for by an id and nothing else", async () => {
    const store = openStore();
    const bad = ["", "conv_", "conv_abcde", "conv_ABCDEF", "../conv_abcdef", "conv_abcdef/../x", "conv_abcdef\n"];
    for (const id of [...bad, "conv_abc\0def", `conv_${"a".repeat(65)}`, "conv_abcdef.jsonl"]) {
      expect(await kindsOf(store, id)).toEqual(["bad_request", "bad_request", "bad_request", "bad_request"]);
    }
    for (const id of ["conv_abcdef", `conv_${"a".repeat(64)}`]) {
      expect(await refusalOf(store.open(id))).toMatchObject({ kind: "not_found" });
    }
    expect((await store.create()).id).toMatch(/^conv_[0-9a-f]{16}$/);
  });

  it("keep an input that is nested beyond reason as a note", async () => {
    const store = openStore();
    const conversation = await store.open((await store.create()).id);
    for (const depth of [150, 5_000, 200_000]) {
      const input: unknown = JSON.parse(`${"[".repeat(depth)}${"]".repeat(depth)}`);
      const call = { id: "c", name: "p__t", input, output: "no", ok: false, ms: 0, outcome: null };
      await conversation.append(answer("deep", { toolCalls: [call] }));
    }
    const inputs = conversation.messages.map(({ toolCalls }) => toolCalls?.[0]?.input);
    expect(Array.isArray(inputs[0])).toBe(true);
    expect(inputs.slice(1)).toEqual(Array.from({ length: 2 }, () => expect.stringContaining("not kept")));
    expect(JSON.stringify(conversation.messages)).toContain("not kept");
  });

  it("refuse a message that is too large, and take the next one", async () => {
    const store = openStore();
    const conversation = await store.open((await store.create()).id);
    const large = question("x".repeat((64 << 20) + 1));
    expect(await refusalOf(conversation.append(large))).toMatchObject({ kind: "too_large" });
    await conversation.append(question("small"));
    expect(conversation.messages.map(({ content }) => content)).toEqual(["small"]);
  });

  it("answer nothing any more when they are closed, after what was under way", async () => {
    const store = openStore();
    const conversation = await store.open((await store.create()).id);
    const under = conversation.append(question("a"));
    await store.close();
    await under;
    expect(conversation.messages).toHaveLength(1);
    await expect(conversation.append(question("b"))).rejects.toThrow(HostError);
    await expect(store.create()).rejects.toThrow(HostError);
    await expect(store.list(QUERY)).rejects.toThrow(HostError);
  });
});
