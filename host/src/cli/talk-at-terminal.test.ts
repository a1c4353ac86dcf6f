import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { RunEvent } from "../kernel/agent.ts";
import type { ApprovalRecord } from "../kernel/approvals.ts";
import { CONV, openChatWire, resultOf, RUN, START, type ChatWire } from "./chat-wire-for-tests.ts";

const STREAM = "POST /v1/chat/stream";
const runId = RUN;
const QUESTION = "Approve this call? [yes/no] ";

let wire: ChatWire;
beforeAll(async () => {
  wire = await openChatWire();
});
beforeEach(() => {
  wire.asked.length = 0;
  wire.says.clear();
});
afterAll(() => wire.close());

const done: RunEvent = { type: "done", ...resultOf() };
const record = (id: string, over: Partial<ApprovalRecord> = {}): ApprovalRecord => ({
  id,
  state: "pending",
  digest: "sha256:0123",
  invocation_id: "inv_1",
  correlation_id: "corr_1",
  capability: { id: "refund", version: "1.0.0", definition: "sha256:1" },
  tool: "billing__refund",
  arguments: { amount: 500, note: "\u001B[2Jx" },
  requested_by: "agent:bailiwick",
  on_behalf_of: "person:owner",
  workspace: "ws_default",
  door: "agent",
  rule: "refunds",
  risk_tier: "high",
  required: { count: 1, approvers: [], four_eyes: false },
  decisions: [],
  created_at: "2020-01-01T00:00:00.000Z",
  expires_at: "2999-01-01T00:00:00.000Z",
  ...over,
});
const DECISION: ApprovalRecord["decisions"][number] = {
  by: "person:ann",
  decision: "approve",
  at: "2026-01-01T00:00:00.000Z",
};
const needs = (id: string, approvalId: string): RunEvent => ({
  runId,
  type: "approval.needed",
  id,
  name: "billing__refund",
  approvalId,
  digest: "sha256:0123",
  summary: "s",
  expiresAt: "2999-01-01T00:00:00.000Z",
});
const ended = (id: string, over: object = {}): RunEvent => ({
  runId,
  type: "tool.done",
  id,
  name: `billing__${id}`,
  ok: true,
  ms: 1,
  outcome: "success",
  evidenceId: null,
  ...over,
});

/** An approval of the host; resolves with the decision. */
const approval = (id: string, state: "granted" | "denied" = "granted"): Promise<string> => {
  const { promise, resolve } = Promise.withResolvers<string>();
  wire.says.set(`GET /v1/approvals/${id}`, () => [200, record(id)]);
  wire.says.set(`POST /v1/approvals/${id}`, ({ decision }: { decision: string }) => {
    resolve(decision);
    return [200, record(id, { state })];
  });
  return promise;
};
const decisions = () =>
  wire.asked
    .filter(({ what }) => what.startsWith("POST /v1/approvals"))
    .map(({ what, body }) => [what.slice(-5), body]);

describe("an approval", () => {
  it("is asked in place after the exact call is shown, several one after another, and the run goes on", async () => {
    const both = Promise.all([approval("apr_1"), approval("apr_2", "denied")]);
    const refused = { ok: false, outcome: "denied", code: "approval_denied" };
    const steps = [
      START,
      needs("one", "apr_1"),
      needs("two", "apr_2"),
      ended("other"),
      both,
      ended("one"),
      ended("two", refused),
    ];
    wire.says.set(STREAM, () => [200, [...steps, { runId, type: "text.delta", text: "Done." }, done]]);
    const { code, out, err } = await wire.run(["chat", "Hi"], {
      types: [
        [QUESTION, "perhaps"],
        [QUESTION, "yes"],
        [QUESTION, "n"],
      ],
    });
    expect({ code, out }).toEqual({ code: 0, out: "Done.\n" });
    expect(decisions()).toEqual([
      ["apr_1", { decision: "approve" }],
      ["apr_2", { decision: "deny" }],
    ]);
    expect(err.indexOf('"amount": 500')).toBeLessThan(err.indexOf(QUESTION));
    expect(err).toContain("\\u001b[2Jx");
    expect(err.indexOf("Denied.")).toBeLessThan(err.indexOf("· billing__other … ok"));
    expect(err).toContain("· billing__two … refused (approval_denied)");
  });

  it.each<[string, ApprovalRecord["decisions"], string]>([
    ["somebody else decides", [DECISION], "Approved by person:ann, elsewhere."],
    ["nobody decides in time", [], "The run does not wait for it any more."],
  ])("that %s ends the question", async (_, made, said) => {
    void approval("apr_1");
    const { promise: asked, resolve: isAsked } = Promise.withResolvers<void>();
    let looks = 0;
    wire.says.set("GET /v1/approvals/apr_1", () => {
      setTimeout(isAsked, 50);
      return [200, record("apr_1", looks++ === 0 ? {} : { decisions: made })];
    });
    wire.says.set(STREAM, () => [200, [START, needs("one", "apr_1"), asked, ended("one"), done]]);
    const { code, err } = await wire.run(["chat", "Hi"], { types: [] });
    expect(code).toBe(0);
    expect(err).toContain(`${said}\n· billing__one … ok 1 ms`);
    expect(decisions()).toEqual([]);
  });

  it("that the person may not decide says so, and the run goes on", async () => {
    const { promise: tried, resolve } = Promise.withResolvers<void>();
    wire.says.set("GET /v1/approvals/apr_1", () => [200, record("apr_1")]);
    const no = { error: "not_visible", message: "You may not decide it.", remedy: "Ask role:manager." };
    wire.says.set("POST /v1/approvals/apr_1", () => {
      resolve();
      return [403, no];
    });
    wire.says.set(STREAM, () => [200, [START, needs("one", "apr_1"), tried, ended("one", pending), done]]);
    const { code, err } = await wire.run(["chat", "Hi"], { types: [[QUESTION, "yes"]] });
    expect(err).toContain("→ Ask role:manager.");
    expect(code).toBe(4);
  });

  it("where nobody sits is named with the command, and still pending at the end is exit code 4", async () => {
    wire.says.set(STREAM, () => [200, [START, needs("one", "apr_1"), ended("one", pending), done]]);
    for (const argv of [["chat"], ["chat", "--json"]]) {
      const { code, err } = await wire.run(argv, { piped: "Hi\n" });
      expect(code).toBe(4);
      expect(err).toContain("bailiwick approve apr_1 yes");
      expect(err).not.toContain(QUESTION);
    }
    expect(decisions()).toEqual([]);
  });

  const pending = { ok: false, outcome: "denied", code: "approval_pending" };
});

describe("a chat at the terminal", () => {
  const sent = (): unknown[] => wire.asked.filter(({ what }) => what === STREAM).map(({ body }) => body);

  it("goes on in one conversation until the person leaves, and /new begins another", async () => {
    wire.says.set(STREAM, () => [200, [START, { runId, type: "text.delta", text: "A" }, done]]);
    const { code, out, err } = await wire.run([], {
      types: [
        ["> ", "one"],
        ["> ", "two"],
        ["> ", "/new"],
        ["> ", "three"],
        ["> ", "/help"],
        ["> ", "/quit"],
      ],
    });
    expect({ code, out }).toEqual({ code: 0, out: "A\nA\nA\n" });
    expect(sent()).toEqual([{ message: "one" }, { message: "two", conversationId: CONV }, { message: "three" }]);
    expect(err).toContain("/resume <id>");
    expect(err).toMatch(new RegExp(`--resume ${CONV}\n$`));
  });

  it("what was typed before a question was there is no answer to it", async () => {
    const decided = approval("apr_1");
    const steps = [START, needs("one", "apr_1"), decided, ended("one"), done];
    wire.says.set(STREAM, ({ message }: { message: string }) => [200, message === "Hi" ? steps : [START, done]]);
    await wire.run(["chat"], {
      types: [
        ["> ", "Hi\nyes"],
        [QUESTION, "no"],
        ["· billing__one", null],
      ],
    });
    expect(decisions()).toEqual([["apr_1", { decision: "deny" }]]);
    expect(sent()).toEqual([{ message: "Hi" }, { message: "yes", conversationId: CONV }]);
  });

  it("lists skills, takes a skill's name for a message, and nothing else that begins so", async () => {
    const skill = { name: "reports", kind: "skill", description: "About\nreports", tools: [], diagnostics: [] };
    wire.says.set("GET /v1/skills", () => [200, { skills: [skill] }]);
    wire.says.set(STREAM, () => [200, [START, done]]);
    const { err } = await wire.run(["chat"], {
      types: [
        ["> ", "/skills"],
        ["> ", "/qiut"],
        ["> ", "/Reports"],
        ["> ", "/etc/hosts is what?"],
        ["> ", null],
      ],
    });
    expect(err).toContain("  reports  About reports\n");
    expect(err).toContain("There is neither a command nor a skill /qiut. → /help, /skills\n");
    expect(sent()).toMatchObject([{ message: "/Reports" }, { message: "/etc/hosts is what?" }]);
  });

  it("shows where a conversation was, and refuses one that there is not", async () => {
    const messages = [{ role: "user", content: "Which \u001B[2J\nare new?", ts: "2026-01-01T00:00:00.000Z" }];
    wire.says.set(`GET /v1/conversations/${CONV}/history`, () => [200, { messages }]);
    const { code, err } = await wire.run(["--resume", CONV], {
      types: [
        ["> ", "/resume conv_none00"],
        ["Look.", null],
      ],
    });
    expect(code).toBe(0);
    expect(err).toContain("> Which \\u{1b}[2J are new?\n");
    expect(err).toContain("No.\n→ Look.");
    expect((await wire.run(["--resume", "conv_none00"], { types: [] })).code).toBe(3);
  });

  it("ends with exit code 2 when no model can be called", async () => {
    wire.says.set(STREAM, () => [503, { error: "model_unconfigured", message: "No key.", remedy: "Set it." }]);
    expect((await wire.run(["chat"], { types: [["> ", "Hi"]] })).code).toBe(2);
  });
});
