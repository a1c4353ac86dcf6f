import { describe, expect, it, test } from "vitest";
import type { StoredCall, StoredMessage } from "../../kernel/conversation.ts";
import { Refusal } from "../../kernel/refusal.ts";
import {
  AGENT,
  asked,
  completed,
  decided,
  denied,
  failed,
  lost,
  ofDelegate,
  read,
  runEvent,
  started,
} from "./evidence-for-tests.ts";
import { interruptedMessage, needsRecovery, unfinishedNotice } from "./interrupted-message.ts";
import { refusalResult } from "./model-result.ts";

const TS = "2026-11-16T10:00:00.000Z";
const USER: StoredMessage = { role: "user", content: "go", ts: TS, runId: "run_1" };
const STORED: StoredCall = {
  id: "tc_1",
  name: "todo__add",
  input: {},
  output: "added",
  ok: true,
  ms: 1,
  outcome: "success",
};
const answer = (more: Partial<StoredMessage>): StoredMessage => ({
  role: "assistant",
  content: "",
  ts: TS,
  runId: "run_1",
  ...more,
});
const callsOf = (...events: readonly unknown[]): readonly StoredCall[] | undefined =>
  interruptedMessage("run_1", [runEvent("run_started"), ...events], [USER])?.toolCalls;

describe("a conversation whose host was killed in the middle of a run", () => {
  it("gets a line that shows each call with what is known of its end", () => {
    const events = [
      started("inv_1"),
      started("inv_2"),
      started("inv_3"),
      completed("inv_1"),
      failed("inv_2"),
      lost("inv_3"),
    ];
    const message = interruptedMessage("run_1", events, [USER]);
    expect(message).toMatchObject({ role: "assistant", content: "", runId: "run_1", interrupted: true });
    expect(message?.ts).toMatch(/^2026-11-16T10:00:\d\d\.000Z$/);
    expect(message?.toolCalls).toEqual([
      {
        id: "inv_1",
        name: "todo__add",
        input: {},
        output: expect.stringContaining("before its result was written down"),
        ok: true,
        ms: 41,
        outcome: "success",
        evidenceId: expect.stringMatching(/^evt_/),
      },
      expect.objectContaining({
        id: "inv_2",
        ok: false,
        ms: 7,
        outcome: "failure",
        output: "tool_error: The tool reported an error. (Its arguments are not in this record.)",
      }),
      expect.objectContaining({
        id: "inv_3",
        ok: false,
        outcome: "indeterminate",
        output: expect.stringContaining("nobody knows"),
      }),
    ]);
  });

  it("shows a call that was begun and never ended as unknown", () => {
    expect(callsOf(started("inv_1"))).toMatchObject([{ ok: false, outcome: "indeterminate" }]);
  });

  it("shows what was refused with the code and the reason", () => {
    expect(callsOf(denied("inv_1", "policy_denied"))).toMatchObject([
      {
        name: "todo__add",
        ok: false,
        outcome: "denied",
        code: "policy_denied",
        output: expect.stringMatching(/^policy_denied: A rule says no\./),
      },
    ]);
  });

  it("shows what waits for an approval, with its id, as not run", () => {
    const waits = {
      ok: false,
      outcome: null,
      code: "approval_pending",
      output: expect.stringMatching(/^approval_pending: .*apr_1.*not run/),
    };
    expect(callsOf(asked("inv_1"))).toMatchObject([waits]);
    const told = denied("inv_1", "approval_pending", { approval_id: "apr_1" });
    expect(callsOf(asked("inv_1"), told)).toMatchObject([{ ...waits, outcome: "denied" }]);
    expect(callsOf(told)).toMatchObject([{ ...waits, outcome: "denied" }]);
  });

  test.each([
    ["approval_granted", null, /^approval_granted: .*has not been run/],
    ["approval_denied", "denied", /^approval_denied: /],
    ["dev.bailiwick.approval_expired", null, /^approval_expired: .*not run/],
    ["dev.bailiwick.approval_cancelled", null, /^approval_expired: .*not run/],
  ])("shows what became of an approval: %s", (type, outcome, output) => {
    const became = [{ ok: false, outcome, output: expect.stringMatching(output) }];
    expect(callsOf(asked("inv_1"), decided("inv_1", type))).toMatchObject(became);
    const told = denied("inv_1", "approval_pending", { approval_id: "apr_1" });
    expect(callsOf(asked("inv_1"), told, decided("inv_1", type))).toMatchObject(became);
  });

  it("shows an approved call that began by its outcome", () => {
    const before = [asked("inv_1"), decided("inv_1", "approval_granted"), started("inv_1")];
    expect(callsOf(...before)).toMatchObject([{ outcome: "indeterminate" }]);
    expect(callsOf(...before, completed("inv_1"))).toMatchObject([{ outcome: "success", ok: true }]);
  });

  it("shows neither the calls of sub-agents, nor what was read, nor calls of other doors", () => {
    const other = started("inv_4", { subject: { ...AGENT, door: "mcp" } });
    const events = [started("inv_1"), ...ofDelegate("inv_2"), ...read("inv_3"), other];
    expect(callsOf(...events)?.map(({ id }) => id)).toEqual(["inv_1"]);
  });

  it("shows only calls that no line has yet", () => {
    const done = completed("inv_1");
    const messages = [USER, answer({ toolCalls: [{ ...STORED, evidenceId: String(done["event_id"]) }] })];
    const events = [started("inv_1"), done, started("inv_2")];
    expect(interruptedMessage("run_1", events, messages)?.toolCalls?.map(({ id }) => id)).toEqual(["inv_2"]);
    expect(interruptedMessage("run_1", events.slice(0, 2), messages)).toBeNull();
  });

  it("gets no line where the run called nothing, or ended in another conversation than this fork of it", () => {
    expect(callsOf()).toBeUndefined();
    expect(callsOf(started("inv_1"), completed("inv_1"), runEvent("run_ended"))).toBeUndefined();
    expect(callsOf(started("inv_1"), runEvent("run_ended", "run_child"))).toHaveLength(1);
  });

  it("is not confused by events that are none", () => {
    expect(
      callsOf(null, 1, "x", [], {}, { invocation_id: "inv_9" }, { event_type: 5, invocation_id: "a" }),
    ).toBeUndefined();
    const bare = { invocation_id: "inv_1", event_type: "execution_completed", subject: { door: "agent" } };
    expect(callsOf(bare)).toMatchObject([{ id: "inv_1", name: "", ok: true }]);
  });
});

describe("a conversation", () => {
  test.each<[string, readonly StoredMessage[], string | null]>([
    ["is empty", [], null],
    ["ends with a message of a run", [USER], "run_1"],
    ["ends with an answer in the middle of a run", [USER, answer({})], "run_1"],
    ["ends with the end of a run", [USER, answer({ stopReason: "complete" })], null],
    ["ends with what was interrupted", [USER, answer({ interrupted: true })], null],
    ["was imported", [{ role: "user", content: "go", ts: TS }], null],
  ])("that %s is looked up in evidence, or need not be", (_, messages, runId) => {
    expect(needsRecovery(messages)).toBe(runId);
  });
});

describe("the next run", () => {
  it("hears of each call of an interrupted one what is known of it", () => {
    const message = interruptedMessage(
      "run_1",
      [started("inv_1"), completed("inv_1"), started("inv_2"), asked("inv_3")],
      [USER],
    );
    const notice = unfinishedNotice(message === null ? [] : [USER, message]) ?? "";
    const [first, second, third] = notice.split("; ");
    expect(first).toBe("todo__add: it was run");
    expect(second).toContain("nobody knows whether it took effect");
    expect(third).toContain("apr_1");
  });

  it("hears of calls that wait for a person, also after a run that ended", () => {
    const no = new Refusal("approval_pending", {
      message: "todo__add waits for the approval apr_7.",
      next: "Ask Maria.",
    });
    const { output } = refusalResult("todo__add", no);
    const waiting = { ...STORED, ok: false, outcome: "denied" as const, code: no.kind, output };
    const messages = [USER, answer({ toolCalls: [STORED, waiting], stopReason: "max_iterations" })];
    expect(unfinishedNotice(messages)).toBe(
      "todo__add: approval_pending: todo__add waits for the approval apr_7. Next step: Ask Maria.",
    );
  });

  it("does not take a tool at its word that an approval is pending", () => {
    const said = { ...STORED, ok: false, outcome: "denied" as const, output: "approval_pending: call me again" };
    expect(unfinishedNotice([USER, answer({ toolCalls: [said], stopReason: "complete" })])).toBeNull();
  });

  it("hears that an answer was cut off, and nothing where all is well", () => {
    expect(unfinishedNotice([USER, answer({ content: "Half", interrupted: true })])).toBe("its answer was cut off.");
    expect(unfinishedNotice([USER, answer({ content: "Whole", stopReason: "complete" })])).toBeNull();
    expect(unfinishedNotice([])).toBeNull();
  });

  it("hears of a run that left no end, whatever it had done, and not of messages that no run was for", () => {
    const noEnd = "it ended before its answer was written.";
    expect(unfinishedNotice([USER])).toBe(noEnd);
    expect(unfinishedNotice([USER, answer({ toolCalls: [STORED] })])).toBe(noEnd);
    const { runId: _, ...imported } = USER;
    expect(unfinishedNotice([imported])).toBeNull();
    expect(unfinishedNotice([imported, { ...imported, role: "assistant" }])).toBeNull();
  });

  it("hears of the first ten calls by name and of the others by number", () => {
    const toolCalls = Array.from({ length: 14 }, () => STORED);
    expect(unfinishedNotice([USER, answer({ toolCalls, interrupted: true })])).toMatch(/; and 4 more calls$/);
  });
});
