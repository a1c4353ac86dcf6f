/** The door on a pipe, as a client of either era sees it. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { openTestDoor, type TestDoor } from "./door-for-tests.ts";
import { openTalk, type Talk } from "./talk-for-tests.ts";

let door: TestDoor;
let talk: Talk;
beforeEach(async () => {
  door = await openTestDoor({ timings: { closeMs: 200 } });
  talk = openTalk(door);
});
afterEach(async () => {
  talk.drop();
  await door.listener.close();
  expect(door.bugs).toEqual([]);
});

const echo = { name: "echo", arguments: { a: 1 } };

describe("a legacy client", () => {
  it("opens its session, lists, calls and hears progress and logs", async () => {
    const { result } = await talk.initialize();
    expect(result.serverInfo.name).toBe("bailiwick");
    expect(door.listener.load().sessions).toBe(1);
    talk.request(1, "tools/list");
    expect((await talk.answer(1)).result.tools[0].name).toBe("p__echo");
    talk.request("two", "tools/call", { name: "chatty", _meta: { progressToken: "t" } });
    await talk.answer("two");
    const notices = talk.heard.filter(({ method }) => method !== undefined).map(({ params }) => params);
    expect(notices).toEqual([
      { progressToken: "t", progress: 1, total: 3 },
      { progressToken: "t", progress: 2, total: 3 },
      { progressToken: "t", progress: 3, total: 3 },
      { level: "warning", data: "high" },
    ]);
    expect(door.calls[0]).toMatchObject({ door: "mcp", presented: { kind: "local" } });
  });

  it("is told to initialize first; ping needs no session", async () => {
    talk.request(1, "tools/list");
    const { error } = await talk.answer(1);
    expect(error.code).toBe(-32600);
    expect(error.data.next).toContain("Send initialize first");
    talk.request(2, "ping");
    expect((await talk.answer(2)).result).toEqual({});
  });

  it("has one session; a second initialize is refused and the first goes on", async () => {
    await talk.initialize();
    talk.request(1, "initialize", { protocolVersion: "2025-11-25", capabilities: {} });
    expect((await talk.answer(1)).error.code).toBe(-32600);
    talk.request(2, "tools/call", echo);
    expect((await talk.answer(2)).result).toBeDefined();
    expect(door.listener.load().sessions).toBe(1);
  });

  it("cancels a call, which then goes unanswered", async () => {
    await talk.initialize();
    talk.request(1, "tools/call", { name: "slow" });
    await vi.waitFor(() => expect(door.calls).toHaveLength(1));
    talk.send({ method: "notifications/cancelled", params: { requestId: 1 } });
    await vi.waitFor(() => expect(door.calls[0]?.signal.aborted).toBe(true));
    talk.request(2, "ping");
    await talk.answer(2);
    expect(talk.heard.some(({ id }) => id === 1)).toBe(false);
  });

  it("hears that lists changed and that a resource was updated", async () => {
    await talk.initialize();
    door.watchable.add("a:b");
    talk.request(1, "resources/subscribe", { uri: "a:b" });
    await talk.answer(1);
    door.announceChange();
    door.update("a:b");
    await talk.until(({ method }) => method === "notifications/tools/list_changed");
    const updated = await talk.until(({ method }) => method === "notifications/resources/updated");
    expect(updated.params).toEqual({ uri: "a:b" });
  });

  it("of 2025-03-26 may send an array, and gets one line back", async () => {
    await talk.initialize({}, "2025-03-26");
    const calls = [1, 2].map((id) => ({ jsonrpc: "2.0", id, method: "tools/call", params: echo }));
    talk.write(`${JSON.stringify(calls)}\n`);
    const said = await talk.until((message) => Array.isArray(message));
    expect(said.map(({ id }: { id: number }) => id)).toEqual([1, 2]);
  });

  it("that leaves does not cancel its call", async () => {
    await talk.initialize();
    talk.request(1, "tools/call", { name: "slow" });
    await vi.waitFor(() => expect(door.calls).toHaveLength(1));
    talk.drop();
    await talk.over;
    expect(door.calls[0]?.signal.aborted).toBe(false);
    expect(door.listener.load()).toEqual({ calls: 1, sessions: 0 });
    door.release();
  });
});

describe("a modern client", () => {
  it("discovers, lists and calls without a session", async () => {
    talk.modern(1, "server/discover");
    expect((await talk.answer(1)).result.supportedVersions).toEqual(["2026-07-28"]);
    talk.modern(2, "tools/list");
    expect((await talk.answer(2)).result).toMatchObject({ resultType: "complete", cacheScope: "private" });
    talk.modern(3, "tools/call", echo);
    expect((await talk.answer(3)).result.content[0].text).toBe('{"a":1}');
    talk.modern(4, "nothing/here");
    expect((await talk.answer(4)).error.code).toBe(-32601);
    expect(door.listener.load().sessions).toBe(0);
  });

  it("needs no headers, not even for arguments that HTTP repeats there", async () => {
    door.paramHeaders.set("echo", [{ header: "A", path: ["a"] }]);
    talk.modern(1, "tools/call", echo);
    expect((await talk.answer(1)).result).toBeDefined();
  });

  it.each([
    ["a version that nobody speaks", { "io.modelcontextprotocol/protocolVersion": "2099-01-01" }, -32022],
    ["an envelope without capabilities", { "io.modelcontextprotocol/clientCapabilities": undefined }, -32602],
  ])("with %s is refused", async (_, changed, code) => {
    const meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": {},
    };
    talk.request(1, "tools/list", { _meta: { ...meta, ...changed } });
    expect((await talk.answer(1)).error.code).toBe(code);
  });

  it("cancels by a notification without an envelope", async () => {
    talk.modern("x", "tools/call", { name: "slow" });
    await vi.waitFor(() => expect(door.calls).toHaveLength(1));
    talk.send({ method: "notifications/cancelled", params: { requestId: "x" } });
    await vi.waitFor(() => expect(door.calls[0]?.signal.aborted).toBe(true));
    talk.modern(2, "tools/call", echo);
    await talk.answer(2);
    expect(talk.heard.some(({ id }) => id === "x")).toBe(false);
  });

  it("listens: acknowledged first, then only what it asked for, until it cancels", async () => {
    door.watchable.add("a:b");
    const notifications = { toolsListChanged: true, resourceSubscriptions: ["a:b", "c:d"] };
    talk.modern(7, "subscriptions/listen", { notifications });
    const { params } = await talk.until(({ method }) => method === "notifications/subscriptions/acknowledged");
    expect(params.notifications).toEqual({ toolsListChanged: true, resourceSubscriptions: ["a:b"] });
    door.announceChange();
    door.update("a:b");
    const updated = await talk.until(({ method }) => method === "notifications/resources/updated");
    expect(updated.params._meta["io.modelcontextprotocol/subscriptionId"]).toBe(7);
    await talk.until(({ method }) => method === "notifications/tools/list_changed");
    talk.send({ method: "notifications/cancelled", params: { requestId: 7 } });
    await vi.waitFor(() => expect(door.watching()).toBe(0));
    const heard = talk.heard.length;
    door.announceChange();
    talk.modern(8, "tools/list");
    await talk.answer(8);
    expect(talk.heard).toHaveLength(heard + 1);
  });

  it("that leaves cancels its call", async () => {
    talk.modern(1, "tools/call", { name: "slow" });
    await vi.waitFor(() => expect(door.calls).toHaveLength(1));
    talk.drop();
    await talk.over;
    expect(door.calls[0]?.signal.aborted).toBe(true);
  });
});

describe("the pipe", () => {
  it("carries requests side by side, both eras among each other", async () => {
    await talk.initialize();
    talk.request(1, "tools/call", { name: "slow" });
    talk.modern(2, "tools/call", echo);
    talk.request(3, "tools/call", echo);
    await Promise.all([talk.answer(2), talk.answer(3)]);
    expect(talk.heard.some(({ id }) => id === 1)).toBe(false);
    door.release();
    await talk.answer(1);
  });

  it("ends when its input has ended and everything is answered", async () => {
    await talk.initialize();
    talk.modern(1, "tools/call", { name: "slow" });
    talk.request(2, "tools/call", { name: "slow" });
    await vi.waitFor(() => expect(door.calls).toHaveLength(2));
    talk.endInput();
    const early = await Promise.race([talk.over.then(() => "over"), new Promise((resolve) => setTimeout(resolve, 50))]);
    expect(early).toBeUndefined();
    door.release();
    await talk.over;
    expect((await talk.answer(1)).result).toBeDefined();
    expect((await talk.answer(2)).result).toBeDefined();
    expect(door.listener.load()).toEqual({ calls: 0, sessions: 0 });
  });

  it.each(["legacy", "modern"])("does not wait for a call that its %s client cancelled", async (era) => {
    await talk.initialize();
    if (era === "legacy") talk.request(1, "tools/call", { name: "deaf" });
    else talk.modern(1, "tools/call", { name: "deaf" });
    await vi.waitFor(() => expect(door.calls).toHaveLength(1));
    talk.send({ method: "notifications/cancelled", params: { requestId: 1 } });
    talk.endInput();
    await talk.over;
    expect(talk.heard.some(({ id }) => id === 1)).toBe(false);
    door.release();
  });

  it("takes a last line without a line break", async () => {
    talk.write('{"jsonrpc":"2.0","id":1,"method":"ping"}');
    talk.endInput();
    await talk.over;
    expect((await talk.answer(1)).result).toEqual({});
  });

  it.each([
    ["no JSON", "{nonsense\n", -32700],
    ["a member twice", '{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}\n', -32600],
    ["no message", '{"hello":1}\n', -32600],
    ["nesting without end", `${"[".repeat(100_000)}\n`, -32600],
    ["much nesting", `${"[".repeat(30_000)}${"]".repeat(30_000)}\n`, -32600],
  ])("answers %s with an error and goes on", async (_, line, code) => {
    talk.write(line);
    expect((await talk.until(({ error }) => error !== undefined)).error.code).toBe(code);
    talk.request(5, "ping");
    await talk.answer(5);
  });

  it("says nothing to notifications that nobody knows, nor to blank lines", async () => {
    talk.write('\n\r\n{"jsonrpc":"2.0","method":"notifications/strange"}\n');
    talk.send({ method: "notifications/x", params: { _meta: { "io.modelcontextprotocol/protocolVersion": 5 } } });
    talk.request(5, "ping");
    await talk.answer(5);
    expect(talk.heard).toHaveLength(1);
  });

  it.each([
    ["at its start", (text: string) => `{"jsonrpc":"2.0","id":"big","method":"ping","params":{"a":"${text}"}}\n`],
    ["at its end", (text: string) => `{"method":"ping","params":{"a":"${text}"},"jsonrpc":"2.0","id":"big"}\n`],
  ])("refuses a line that is too long by the id %s, without keeping it", async (_, lineOf) => {
    talk.write(lineOf("x".repeat(5_000_000)));
    expect((await talk.answer("big")).error.message).toContain("4194304");
    talk.request(5, "ping");
    await talk.answer(5);
  });

  it("that shows one provider refuses one that is not there", async () => {
    await expect(openTalk(door, "nope").over).rejects.toThrow(/no provider "nope"/);
    const one = openTalk(door, "p");
    await one.initialize();
    one.request(1, "tools/call", echo);
    await one.answer(1);
    expect(door.calls.at(-1)).toMatchObject({ provider: "p", name: "echo" });
    one.endInput();
    await one.over;
  });

  it("that is stopped answers the calls it ends, and is over", async () => {
    const stop = new AbortController();
    const other = openTalk(door, null, stop.signal);
    other.modern(1, "tools/call", { name: "slow" });
    await vi.waitFor(() => expect(door.calls).toHaveLength(1));
    stop.abort();
    await other.over;
    expect(door.calls[0]?.signal.aborted).toBe(true);
    expect((await other.answer(1)).result).toBeDefined();
  });
});
