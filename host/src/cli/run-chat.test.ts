import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { ChatResult, RunEvent } from "../kernel/agent.ts";
import { CONV, openChatWire, resultOf, RUN, START, type ChatWire, type Step } from "./chat-wire-for-tests.ts";

const STREAM = "POST /v1/chat/stream";
const runId = RUN;

let wire: ChatWire;
beforeAll(async () => {
  wire = await openChatWire();
});
beforeEach(() => {
  wire.asked.length = 0;
  wire.says.clear();
});
afterAll(() => wire.close());

const done = (over: Partial<ChatResult> = {}): RunEvent => ({ type: "done", ...resultOf(over) });
const said = (text: string): RunEvent => ({ runId, type: "text.delta", text });
const ended = (over: Partial<Extract<RunEvent, { type: "tool.done" }>>): RunEvent => ({
  runId,
  type: "tool.done",
  id: "tc_1",
  name: "files__read",
  ok: true,
  ms: 12,
  outcome: "success",
  evidenceId: "evt_1",
  ...over,
});
const failing = (reason: string): object => ({ isError: true, content: [{ type: "text", text: reason }] });
const tells = (...steps: readonly Step[]): void => void wire.says.set(STREAM, () => [200, steps]);
const sent = (): unknown[] => wire.asked.filter(({ what }) => what === STREAM).map(({ body }) => body);

describe("one message", () => {
  it("writes the answer to stdout, and calls, tokens and how to go on beside it", async () => {
    const skill = { name: "reports", phase: "trigger", matched: ["new reports"] } as const;
    tells({ ...START, skill } as RunEvent, said("Hel"), ended({}), said("lo"), done());
    const ran = await wire.run(["chat", "Hi", "--model", "m", "--no-skill", "--resume", CONV]);
    expect(ran).toEqual({
      code: 0,
      out: "Hello\n",
      err: [
        "skill reports (trigger: new reports)",
        "· files__read … ok 12 ms",
        "1250 tokens in, 45 out · 2 model calls · stub:model",
        `conversation ${CONV}; go on with: bailiwick chat --resume ${CONV}`,
        "",
      ].join("\n"),
    });
    expect(sent()).toEqual([{ message: "Hi", conversationId: CONV, model: "m", skill: false }]);
  });

  it("with --json writes the result and nothing else to stdout", async () => {
    tells(START, said("Hello"), done());
    const { out, code } = await wire.run(["chat", "Hi", "--json"]);
    expect(code).toBe(0);
    expect(out).toBe(`${JSON.stringify(JSON.parse(out))}\n`);
    expect(JSON.parse(out)).toEqual(resultOf());
  });

  it("shows on a screen what a terminal would obey, and breaks the answer for lines of its own", async () => {
    tells(
      START,
      said("\u001B[31mred\u001B]0;title\u0007 \u{1F469}\u200D\u{1F4BB} \uD83D"),
      said("\uDE00 \u202Eevil"),
      ended({ name: "a__\u001B[2Jb", ok: false, outcome: "failure", result: failing("\u001B[31mbad\nnews\u009B") }),
      said("\n\nend"),
      done(),
    );
    const { out, err } = await wire.run(["chat", "Hi"], { isScreen: true });
    expect(out).toBe("\\u{1b}[31mred\\u{1b}]0;title\\u{7} \u{1F469}\u200D\u{1F4BB} \u{1F600} \\u{202e}evil\nend\n");
    expect(err).toContain("· a__\\u{1b}[2Jb … failed 12 ms: \\u{1b}[31mbad news\\u{9b}\n");
  });

  it("writes to a pipe exactly what the model said", async () => {
    tells(START, said("\u001B[31mred\r"), ended({}), said("\n\uD83D"), said("\uDE00\n"), done());
    expect((await wire.run(["chat", "Hi"])).out).toBe("\u001B[31mred\r\n\u{1F600}\n");
  });

  it.each<[string, RunEvent, number, string]>([
    [
      "fails",
      { runId, type: "error", error: "model_failed", message: "Down.", remedy: "Later." },
      1,
      "Down.\n→ Later.",
    ],
    [
      "is cancelled",
      { runId, type: "error", error: "cancelled", message: "Cancelled.", remedy: "Again." },
      1,
      "→ Again.",
    ],
    [
      "is refused",
      { runId, type: "error", error: "evidence_unavailable", message: "Full.", remedy: "Free." },
      3,
      "→ Free.",
    ],
  ])("that %s says why and what to do, and keeps the text so far", async (_, event, code, err) => {
    tells(START, said("Hel"), event);
    const ran = await wire.run(["chat", "Hi"]);
    expect(ran).toMatchObject({ code, out: "Hel\n" });
    expect(ran.err).toContain(err);
    expect(ran.err).toContain(`--resume ${CONV}`);
    const json = await wire.run(["chat", "Hi", "--json"]);
    expect(JSON.parse(json.out)).toMatchObject({ message: expect.any(String), remedy: expect.any(String) });
  });

  it("without a model key gives the clear sentence and exit code 2", async () => {
    const no = { error: "model_unconfigured", message: "No model key.", remedy: "Set ANTHROPIC_API_KEY." };
    wire.says.set(STREAM, () => [503, no]);
    expect(await wire.run(["chat", "Hi"])).toEqual({
      code: 2,
      out: "",
      err: "No model key.\n→ Set ANTHROPIC_API_KEY.\n",
    });
    expect(JSON.parse((await wire.run(["chat", "Hi", "--json"])).out)).toEqual(no);
  });

  it("with a call of unknown outcome ends with 5 and never calls it a success", async () => {
    tells(START, ended({ ok: false, outcome: "indeterminate", code: "indeterminate" }), said("Hm"), done());
    const { code, err } = await wire.run(["chat", "Hi"]);
    expect(code).toBe(5);
    expect(err).toContain("outcome unknown 12 ms: it may have acted.");
    expect(err).toContain("bailiwick evidence show evt_1");
  });

  it("names the refusal of a call with its reason, and what was not run", async () => {
    const result = failing("Policy says no.\nAsk the owner.");
    const dropped = { id: "2", name: "x__y", input: {}, output: "", ok: false, ms: 0, outcome: null } as const;
    const toolCalls = [{ ...dropped, dropped: "token_budget" as const }];
    tells(
      START,
      ended({ ok: false, outcome: "denied", code: "policy_denied", result }),
      done({ stopReason: "token_budget", toolCalls }),
    );
    const { code, err } = await wire.run(["chat", "Hi"]);
    expect(code).toBe(0);
    expect(err).toContain("· files__read … refused (policy_denied) 12 ms: Policy says no. Ask the owner.");
    expect(err).toContain("stopped at the limit of tokens · 1 tool call was not run");
  });

  it("in a conversation that there is not is refused, and is not offered to go on with", async () => {
    wire.says.set(STREAM, () => [404, { error: "not_found", message: "No such conversation.", remedy: "List them." }]);
    expect(await wire.run(["chat", "Hi", "--resume", CONV])).toEqual({
      code: 3,
      out: "",
      err: "No such conversation.\n→ List them.\n",
    });
  });

  it("that does not wait for a person names the approval that the refusal names", async () => {
    const result = { _meta: { "dev.bailiwick/refusal": { details: { approval_id: "apr_7" } } } };
    tells(START, ended({ ok: false, outcome: "denied", code: "approval_pending", result }), done());
    const { code, err } = await wire.run(["chat", "Hi"]);
    expect(code).toBe(4);
    expect(err).toContain("· files__read … waits for approval 12 ms\n  → bailiwick approve apr_7 yes\n");
  });

  it("shows a child's calls but not its text", async () => {
    const child = { runId: "run_2", parentRunId: RUN };
    tells(
      START,
      { ...said("inner"), ...child },
      { ...ended({}), ...child },
      { ...done(), ...child },
      said("Out"),
      done(),
    );
    const { out, err } = await wire.run(["chat", "Hi"]);
    expect(out).toBe("Out\n");
    expect(err).toContain("  · files__read … ok 12 ms");
  });
});

describe("lines from a pipe", () => {
  it("are messages of one conversation, blank ones left out", async () => {
    tells(START, said("A"), done());
    const { code, out, err } = await wire.run(["chat"], { piped: "one\r\n\n  \ntwo" });
    expect(code).toBe(0);
    expect(out).toBe("A\nA\n");
    expect(sent()).toEqual([{ message: "one" }, { message: "two", conversationId: CONV }]);
    expect(err.match(/go on with/g)).toHaveLength(1);
  });

  it("each get one line of JSON, errors too", async () => {
    wire.says.set(STREAM, ({ message }: { message: string }) =>
      message === "bad" ? [400, { error: "bad_request", message: "No.", remedy: "Write." }] : [200, [START, done()]],
    );
    const { code, out } = await wire.run(["chat", "--json"], { piped: "a\nbad\nb\n" });
    const lines = out
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as object);
    expect(lines).toMatchObject([{ runId: RUN }, { error: "bad_request", remedy: "Write." }, { runId: RUN }]);
    expect(code).toBe(3);
  });

  it("that do not come are a usage error for chat, and help for bailiwick alone", async () => {
    expect(await wire.run(["chat"])).toMatchObject({ code: 2, out: "" });
    const bare = await wire.run([]);
    expect(bare).toMatchObject({ code: 0, err: "" });
    expect(bare.out).toContain("Usage: bailiwick <command>");
    expect(wire.asked).toEqual([]);
  });

  it("reach bailiwick alone too, with a conversation to go on with", async () => {
    tells(START, said("A"), done());
    expect((await wire.run(["--resume", CONV], { piped: "one" })).out).toBe("A\n");
    expect(sent()).toEqual([{ message: "one", conversationId: CONV }]);
  });
});

it.each([
  [["chat", " "], "The message is empty."],
  [["chat", "x", "--skill", "s", "--no-skill"], "exclude each other"],
])("%j is a usage error that sends nothing", async (argv, message) => {
  const { code, err } = await wire.run(argv);
  expect(code).toBe(2);
  expect(err).toContain(message);
  expect(wire.asked).toEqual([]);
});

describe("--list", () => {
  const row = {
    id: CONV,
    createdAt: "2026-01-02T03:04:05.678Z",
    updatedAt: "2026-01-02T03:04:05.678Z",
    title: "Which \u001B[2Jare new?",
    messageCount: 4,
    preview: "These.",
    totalInputTokens: 1,
    totalOutputTokens: 1,
    totalCostUsd: null,
  };
  const page = { conversations: [row], nextCursor: null, totalCount: 3 };

  it("shows the last conversations and how to go on with one", async () => {
    wire.says.set("GET /v1/conversations", () => [200, page]);
    const { code, out, err } = await wire.run(["chat", "--list"]);
    expect(code).toBe(0);
    expect(out.split("\n").slice(0, 2)).toEqual([
      "conversation           changed (UTC)     messages  title",
      `${CONV}  2026-01-02 03:04  4         Which \\u{1b}[2Jare new?`,
    ]);
    expect(err).toBe("2 older ones are not shown.\n→ Go on with one: bailiwick chat --resume <conversation>\n");
    expect(wire.asked[0]?.what).toBe("GET /v1/conversations?limit=20&sortBy=updatedAt");
    expect(sent()).toEqual([]);
  });

  it("is a page of JSON for programs, and takes no message", async () => {
    wire.says.set("GET /v1/conversations", () => [200, page]);
    expect(JSON.parse((await wire.run(["chat", "--list", "--json"])).out)).toEqual(page);
    expect((await wire.run(["chat", "Hi", "--list"])).code).toBe(2);
    wire.says.set("GET /v1/conversations", () => [200, { ...page, conversations: [], totalCount: 0 }]);
    expect((await wire.run(["chat", "--list"])).err).toContain("There are no conversations yet.");
  });
});
