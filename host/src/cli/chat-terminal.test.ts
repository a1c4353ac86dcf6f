/** `bailiwick chat` at a real terminal: the built program, a real host and a model on the wire. */
import { afterEach, describe, expect, it } from "vitest";
import { historyOf } from "./agent-drill-for-tests.ts";
import { createChatDrill, CTRL_C, CTRL_D, type ChatDrill } from "./chat-drill-for-tests.ts";
import type { Served } from "./drill-for-tests.ts";
import { askOf } from "./governed-drill-for-tests.ts";

let drill: ChatDrill;
afterEach(() => drill.clean());

const onlyConversation = async ({ origin, key }: Served): Promise<string> => {
  const response = await fetch(`${origin}/v1/conversations`, { headers: { authorization: `Bearer ${key}` } });
  const { conversations } = (await response.json()) as { conversations: { id: string }[] };
  expect(conversations).toHaveLength(1);
  return conversations[0]?.id ?? "none";
};

const conversationIn = (text: string): string => /conversation (conv_[0-9a-f]{16})/.exec(text)?.[1] ?? "none";

describe("at a terminal", () => {
  it("the answer comes as it is written, calls are shown, and the conversation can be gone on with", async () => {
    drill = await createChatDrill();
    const host = await drill.serve();
    const seat = drill.sitDown(["chat"]);
    await seat.shows("> ");
    seat.type("slowly\r");
    await seat.shows("The first half");
    expect(seat.screen()).not.toContain("and the second.");
    drill.release();
    await seat.shows(" and the second.");
    await seat.shows("1 model call");
    await seat.shows("> ");
    seat.type("count\r");
    await seat.shows("I count.");
    await seat.shows("drill__count");
    await seat.shows("It is seven.");
    await seat.shows("2 model calls");
    await seat.shows("> ");
    seat.type("/quit\r");
    await seat.shows("go on with: bailiwick chat --resume conv_");
    expect(await seat.exited).toBe(0);
    expect(drill.sentTo("drill")).toEqual(["7"]);

    const id = conversationIn(seat.screen());
    const again = drill.sitDown(["--resume", id]);
    await again.shows("It is seven.");
    await again.shows("> ");
    again.type("hello\r");
    await again.shows("Good morning.");
    await again.shows("> ");
    again.type(CTRL_D);
    expect(await again.exited).toBe(0);
    const said = (await historyOf(host, id)).map(({ content }) => content);
    expect(said).toEqual([
      "slowly",
      "The first half and the second.",
      "count",
      "I count.",
      "It is seven.",
      "hello",
      "Good morning.",
    ]);
    expect(await host.stop()).toBe(0);
    expect(await drill.leftovers(5_000)).toEqual([]);
  }, 60_000);

  it("a call that needs approval is shown and decided in place", async () => {
    drill = await createChatDrill();
    await drill.serve();
    const seat = drill.sitDown(["chat"]);
    await seat.shows("> ");
    seat.type("ask\r");
    await seat.shows("asked__count");
    await seat.shows("Approve this call? [yes/no]");
    expect(drill.sentTo("asked")).toEqual([]);
    seat.type("perhaps\r");
    await seat.shows("Approve this call? [yes/no]");
    seat.type("yes\r");
    await seat.shows("Approved.");
    await seat.shows("That was it.");
    expect(drill.sentTo("asked")).toEqual(["asked"]);
    await seat.shows("> ");
    seat.type("ask\r");
    await seat.shows("Approve this call? [yes/no]");
    seat.type("no\r");
    await seat.shows("Denied.");
    await seat.shows("approval_denied");
    await seat.shows("That was it.");
    await seat.shows("> ");
    seat.type(CTRL_D);
    expect(await seat.exited).toBe(0);
    expect(drill.sentTo("asked")).toEqual(["asked"]);
  }, 60_000);

  it("Ctrl-C cancels the message, and leaves where there is none", async () => {
    drill = await createChatDrill();
    await drill.serve();
    const seat = drill.sitDown(["chat"]);
    await seat.shows("> ");
    seat.type("silent\r");
    await drill.model.arrived(1);
    seat.type(CTRL_C);
    await seat.shows("Cancelling");
    await seat.shows("cancelled");
    await seat.shows("> ");
    expect(drill.model.requests()[0]?.left).toBe(true);
    seat.type("ask\r");
    await seat.shows("Approve this call? [yes/no]");
    seat.type(CTRL_C);
    await seat.shows("cancelled");
    await seat.shows("> ");
    seat.type("hello\r");
    await seat.shows("Good morning.");
    await seat.shows("> ");
    seat.type(CTRL_C);
    await seat.shows("go on with: bailiwick chat --resume conv_");
    expect(await seat.exited).toBe(0);
    expect(drill.sentTo("asked")).toEqual([]);

    const single = drill.sitDown(["chat", "silent"]);
    await drill.model.arrived(4);
    single.type(CTRL_C);
    await single.shows("cancelled");
    expect(await single.exited).toBe(1);
  }, 60_000);

  it("Ctrl-C twice leaves at once: no process stays, and the next message knows what was open", async () => {
    drill = await createChatDrill();
    const hasty = drill.sitDown(["chat", "wait"]);
    await hasty.shows("I wait.");
    await drill.until(() => drill.sentTo("drill").includes("open"));
    hasty.type(CTRL_C);
    await hasty.shows("press Ctrl-C again to leave at once");
    hasty.type(CTRL_C);
    expect(await hasty.exited).toBe(130);
    expect(await drill.leftovers(5_000)).toEqual([]);
    const host = await drill.serve();
    const id = await onlyConversation(host);
    expect((await historyOf(host, id)).at(-1)).toMatchObject({
      interrupted: true,
      toolCalls: [{ name: "drill__wait", ok: false, outcome: "indeterminate" }],
    });
    const { code, out } = await drill.run(["chat", "hello", "--resume", id]);
    expect([code, out, drill.sentTo("drill")]).toEqual([0, "Good morning.\n", ["open"]]);
    expect(drill.model.requests().at(-1)?.last).toContain("drill__wait: nobody knows whether it took effect");
  }, 60_000);

  it("a terminal that is closed leaves no process behind", async () => {
    drill = await createChatDrill();
    const seat = drill.sitDown(["chat"]);
    await seat.shows("> ");
    seat.type("wait\r");
    await drill.until(() => drill.sentTo("drill").includes("open"));
    seat.close();
    await seat.exited;
    expect(await drill.leftovers(10_000)).toEqual([]);
    const host = await drill.serve();
    expect((await historyOf(host, await onlyConversation(host))).at(-1)).toMatchObject({ interrupted: true });
  }, 60_000);

  it("one message is answered, with a question in place, and its exit code says how it ended", async () => {
    drill = await createChatDrill();
    await drill.serve();
    const seat = drill.sitDown(["chat", "ask"]);
    await seat.shows("Approve this call? [yes/no]");
    seat.type("yes\r");
    await seat.shows("That was it.");
    expect(await seat.exited).toBe(0);
    expect(drill.sentTo("asked")).toEqual(["asked"]);
  }, 60_000);

  it("a question that somebody else has answered is taken back, and the run goes on", async () => {
    drill = await createChatDrill();
    const host = await drill.serve();
    const seat = drill.sitDown(["chat", "ask"]);
    await seat.shows("Approve this call? [yes/no]");
    const ask = askOf(host, host.key);
    const waiting = await ask("GET", "/v1/approvals?state=pending");
    const path = `/v1/approvals/${waiting?.json.approvals[0].id}`;
    expect(await ask("POST", path, { body: { decision: "approve" } })).toMatchObject({ status: 200 });
    await seat.shows("Approved by person:owner, elsewhere.");
    await seat.shows("That was it.");
    expect(await seat.exited).toBe(0);
    expect(drill.sentTo("asked")).toEqual(["asked"]);
  }, 60_000);

  it("a question that is left without an answer says how to decide later, and the exit code says that it waits", async () => {
    drill = await createChatDrill({ approvals: { runWaitSeconds: 3 } });
    await drill.serve();
    const seat = drill.sitDown(["chat", "ask"]);
    await seat.shows("Approve this call? [yes/no]");
    seat.type(CTRL_D);
    await seat.shows("Nothing was decided. → bailiwick approve apr_");
    await seat.shows("waits for approval");
    await seat.shows("That was it.");
    expect(await seat.exited).toBe(4);
    expect(drill.sentTo("asked")).toEqual([]);
  }, 60_000);

  it("works without a running host, and what was said is there for one that is started later", async () => {
    drill = await createChatDrill();
    const seat = drill.sitDown(["chat"]);
    await seat.shows("> ");
    seat.type("ask\r");
    await seat.shows("Approve this call? [yes/no]");
    seat.type("yes\r");
    await seat.shows("That was it.");
    await seat.shows("> ");
    seat.type(CTRL_D);
    expect(await seat.exited).toBe(0);
    expect(drill.sentTo("asked")).toEqual(["asked"]);
    expect(await drill.leftovers(5_000)).toEqual([]);
    const history = await historyOf(await drill.serve(), conversationIn(seat.screen()));
    expect(history.at(-1)).toMatchObject({ content: "That was it.", stopReason: "complete" });
  }, 60_000);
});
