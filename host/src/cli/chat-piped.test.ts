/** `bailiwick chat` in a pipe: the built program, a real host or none, and a model on the wire. */
import { afterEach, describe, expect, it } from "vitest";
import { createChatDrill, type ChatDrill } from "./chat-drill-for-tests.ts";

let drill: ChatDrill;
afterEach(() => drill.clean());

describe("in a pipe", () => {
  it("takes one message a line in one conversation, and writes the answers alone to its output", async () => {
    drill = await createChatDrill();
    await drill.serve();
    const { code, out, err } = await drill.run(["chat"], "hello\n\n  count  \nlast line without end");
    expect(out).toBe("Good morning.\nI count.\n\nIt is seven.\nYou said last line without end.\n");
    expect(err).toContain("drill__count");
    expect(code).toBe(0);
    const roles = drill.model
      .requests()
      .at(-1)
      ?.body["messages"].map(({ role }: { role: string }) => role);
    expect(roles.filter((role: string) => role === "user")).toHaveLength(3);
  }, 60_000);

  it("with --json writes one result a line, or the error, and nothing else", async () => {
    drill = await createChatDrill();
    const { code, out } = await drill.run(["chat", "--json"], "hello\nbroken\ncount\n");
    const lines = out
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines).toMatchObject([
      { response: "Good morning.", stopReason: "complete", toolCalls: [] },
      { error: "model_failed", message: expect.stringContaining("The model is broken."), remedy: expect.any(String) },
      { response: "I count.\n\nIt is seven.", toolCalls: [{ name: "drill__count", ok: true }] },
    ]);
    expect(lines[2].conversationId).toBe(lines[0].conversationId);
    expect(code).toBe(1);
  }, 60_000);

  it.each([
    [0, ["hello"], "Good morning.\n", ""],
    [1, ["broken"], "", "The model is broken."],
    [2, [""], "", "The message is empty."],
    [2, ["hello", "--nonsense"], "", "--nonsense"],
    [3, ["hello", "--resume", "conv_0000000000000000"], "", "conv_0000000000000000"],
    [3, ["hello", "--model", "nowhere:x"], "", "nowhere"],
    [4, ["ask"], "That was it.\n", "bailiwick approve apr_"],
    [5, ["die"], "I do not know.\n", "drill__die"],
  ])(
    "ends with %i after chat %j",
    async (expected, args, said, noted) => {
      drill = await createChatDrill();
      const { code, out, err } = await drill.run(["chat", ...args]);
      expect([code, out]).toEqual([expected, said]);
      expect(err).toContain(noted);
      expect(await drill.leftovers(5_000)).toEqual([]);
    },
    60_000,
  );

  it("ends with 2 where no model is configured, and says what to set; all else works", async () => {
    drill = await createChatDrill({ providers: {}, defaultModel: "claude-sonnet-4-5-20250929" });
    const { code, out, err } = await drill.run(["chat"], "hello\nhello\n");
    expect([code, out]).toEqual([2, ""]);
    expect(err).toContain("ANTHROPIC_API_KEY");
    const json = await drill.run(["chat", "hello", "--json"]);
    expect([json.code, JSON.parse(json.out)]).toMatchObject([2, { error: "model_unconfigured" }]);
    const other = await drill.run(["call", "drill__count", '{"n":"1"}']);
    expect([other.code, drill.sentTo("drill"), drill.model.requests()]).toEqual([0, ["1"], []]);
  }, 60_000);
});
