/** Questions that servers ask a client on a pipe, in both eras. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { askingCall } from "./asking-call-for-tests.ts";
import { openTestDoor, OWNER, type TestDoor } from "./door-for-tests.ts";
import { openTalk, switchToStdio, type Talk } from "./talk-for-tests.ts";

let door: TestDoor;
let talk: Talk;
beforeEach(async () => {
  door = await openTestDoor({ handleCall: askingCall, timings: { closeMs: 200 } });
  talk = openTalk(door);
});
afterEach(async () => {
  talk.drop();
  await door.listener.close();
});

const ASKS = { elicitation: {}, sampling: {} };
const rounds = (...each: string[]) => ({ name: "ask", arguments: { rounds: each.map((message) => [{ message }]) } });
const isAsk = ({ method }: { method?: string }): boolean => method === "elicitation/create";
const accepted = (name: string) => ({ action: "accept", content: { name } });

describe("a legacy client", () => {
  it("gets them as requests and answers them on the same pipe", async () => {
    await talk.initialize(ASKS);
    talk.request(1, "tools/call", rounds("who?"));
    const asked = await talk.until(isAsk);
    expect(asked.params.message).toBe("who?");
    talk.send({ id: asked.id, result: accepted("Ada") });
    expect((await talk.answer(1)).result.said).toEqual([accepted("Ada")]);
  });

  it("answers those of several calls in any order", async () => {
    await talk.initialize(ASKS);
    talk.request(1, "tools/call", rounds("first"));
    talk.request(2, "tools/call", rounds("second"));
    const first = await talk.until((message) => isAsk(message) && message.params.message === "first");
    const second = await talk.until((message) => isAsk(message) && message.params.message === "second");
    talk.send({ id: second.id, result: accepted("two") });
    talk.send({ id: first.id, result: accepted("one") });
    expect((await talk.answer(1)).result.said).toEqual([accepted("one")]);
    expect((await talk.answer(2)).result.said).toEqual([accepted("two")]);
  });

  it("whose input ended is asked nothing more, and its open questions are cancelled", async () => {
    await talk.initialize(ASKS);
    talk.request(1, "tools/call", rounds("now", "later"));
    await talk.until(isAsk);
    talk.endInput();
    await talk.over;
    expect((await talk.answer(1)).result.said).toEqual([{ action: "cancel" }, { action: "cancel" }]);
    expect(talk.heard.filter(isAsk)).toHaveLength(1);
  });

  it("that declared nothing is asked nothing", async () => {
    await talk.initialize();
    talk.request(1, "tools/call", rounds("who?"));
    expect((await talk.answer(1)).result.said[0].code).toBe(-32601);
  });
});

describe("a modern client", () => {
  const retry = (id: number, call: object, { requestState, inputRequests }: any, responses: object): void => {
    expect(Object.keys(inputRequests)).toEqual(Object.keys(responses));
    talk.modern(id, "tools/call", { ...call, requestState, inputResponses: responses }, ASKS);
  };

  it("gets input_required, and the retry goes on with the same call", async () => {
    talk.modern(1, "tools/call", rounds("who?", "why?"), ASKS);
    const first = (await talk.answer(1)).result;
    expect(first).toMatchObject({
      resultType: "input_required",
      inputRequests: { e1: { params: { message: "who?" } } },
    });
    retry(2, rounds("who?", "why?"), first, { e1: accepted("Ada") });
    const second = (await talk.answer(2)).result;
    retry(3, rounds("who?", "why?"), second, { e2: accepted("because") });
    expect((await talk.answer(3)).result).toMatchObject({
      resultType: "complete",
      said: [accepted("Ada"), accepted("because")],
    });
    expect(door.calls).toHaveLength(1);
  });

  it("may come back on another connection", async () => {
    talk.modern(1, "tools/call", rounds("who?"), ASKS);
    const { result } = await talk.answer(1);
    talk.endInput();
    await talk.over;
    const switched = await switchToStdio(door.origin, OWNER);
    if (!("talk" in switched)) throw new Error("refused");
    talk = switched.talk;
    retry(2, rounds("who?"), result, { e1: accepted("Ada") });
    expect((await talk.answer(2)).result.said).toEqual([accepted("Ada")]);
  });

  it("that leaves while its retry is under way cancels the call", async () => {
    talk.modern(1, "tools/call", rounds("who?", "why?"), ASKS);
    const { result } = await talk.answer(1);
    door.calls[0]?.signal.addEventListener("abort", () => {});
    retry(2, rounds("who?", "why?"), result, { e1: accepted("Ada") });
    talk.drop();
    await talk.over;
    await vi.waitFor(() => expect(door.calls[0]?.signal.aborted).toBe(true));
  });
});
