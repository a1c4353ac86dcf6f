import { request, type IncomingMessage } from "node:http";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { knock, modern } from "./client-for-tests.ts";
import { openTestDoor, OTHER, OWNER, type TestDoor } from "./door-for-tests.ts";
import { META_SUBSCRIPTION } from "./protocol.ts";

let door: TestDoor;
const closers: (() => void)[] = [];
beforeEach(async () => {
  door = await openTestDoor({ timings: { commentMs: 30 } });
});
afterEach(async () => {
  for (const close of closers.splice(0)) close();
  await door.listener.close();
  expect(door.bugs).toEqual([]);
});

interface Heard {
  readonly messages: any[];
  readonly res: IncomingMessage;
  text: string;
  ended: boolean;
  readonly leave: () => void;
}

/** Opens a stream and gathers what comes. */
const listen = (notifications: unknown, options: { id?: unknown; key?: string; path?: string } = {}) =>
  new Promise<Heard>((resolve, reject) => {
    const { id = 1, key = OWNER, path = "/mcp" } = options;
    const { headers, body } = modern("subscriptions/listen", { notifications }, { authorization: `Bearer ${key}` });
    const req = request(door.origin + path, { method: "POST", headers: headers!, agent: false }, (res) => {
      const heard: Heard = { messages: [], res, text: "", ended: false, leave: () => req.destroy() };
      closers.push(heard.leave);
      res.on("data", (chunk: Buffer) => {
        heard.text += chunk.toString();
        heard.messages.splice(0);
        for (const [, data] of heard.text.matchAll(/^data: (.*)\n\n/gm)) heard.messages.push(JSON.parse(data ?? ""));
      });
      res.on("end", () => (heard.ended = true));
      res.on("error", () => {});
      resolve(heard);
    });
    req.on("error", reject);
    req.end(JSON.stringify({ ...(body as object), id }));
  });

const methods = ({ messages }: Heard): unknown[] => messages.map((message) => message.method ?? "result");
const ALL = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true };

describe("subscriptions/listen", () => {
  it("acknowledges first, then says what changed, each with the request's id", async () => {
    door.watchable.add("a:b");
    const heard = await listen({ ...ALL, resourceSubscriptions: ["a:b", "no:body", "a:b"] }, { id: 'x"1' });
    expect(heard.res).toMatchObject({ statusCode: 200, headers: { "content-type": "text/event-stream" } });
    await vi.waitFor(() => expect(heard.messages).toHaveLength(1));
    expect(heard.messages[0]).toEqual({
      jsonrpc: "2.0",
      method: "notifications/subscriptions/acknowledged",
      params: {
        notifications: { ...ALL, resourceSubscriptions: ["a:b"] },
        _meta: { [META_SUBSCRIPTION]: 'x"1' },
      },
    });
    door.announceChange();
    door.update("a:b");
    await vi.waitFor(() => expect(heard.messages).toHaveLength(5));
    expect(methods(heard).slice(1)).toEqual([
      "notifications/tools/list_changed",
      "notifications/prompts/list_changed",
      "notifications/resources/list_changed",
      "notifications/resources/updated",
    ]);
    expect(heard.messages[4].params.uri).toBe("a:b");
    for (const { params } of heard.messages) expect(params._meta).toEqual({ [META_SUBSCRIPTION]: 'x"1' });
  });

  it("says only what was asked for", async () => {
    const heard = await listen({ promptsListChanged: true, toolsListChanged: false });
    const updates = await listen({ resourceSubscriptions: ["a:b"] });
    door.watchable.add("a:b");
    const watching = await listen({ resourceSubscriptions: ["a:b"] });
    door.announceChange();
    door.update("a:b");
    await vi.waitFor(() => expect(methods(heard)).toEqual([ACK, "notifications/prompts/list_changed"]));
    await vi.waitFor(() => expect(methods(watching)).toEqual([ACK, "notifications/resources/updated"]));
    await vi.waitFor(() => expect(updates.ended).toBe(true));
    expect(methods(updates)).toEqual([ACK, "result"]);
  });

  it("promises on one provider's endpoint only what that provider has", async () => {
    const heard = await listen(ALL, { path: "/mcp/providers/p" });
    await vi.waitFor(() => expect(heard.messages).toHaveLength(1));
    expect(heard.messages[0].params.notifications).toEqual({ toolsListChanged: true, resourcesListChanged: true });
  });

  it("is kept open by comments, ends with the empty result when the host stops", async () => {
    const heard = await listen({ toolsListChanged: true }, { id: 7 });
    await vi.waitFor(() => expect(heard.text).toMatch(/: \n\n.*: \n\n/s), { timeout: 5000 });
    await door.listener.close();
    await vi.waitFor(() => expect(heard.ended).toBe(true));
    const result = { resultType: "complete", _meta: { [META_SUBSCRIPTION]: 7 } };
    expect(heard.messages.at(-1)).toEqual({ jsonrpc: "2.0", id: 7, result });
  });

  it("stops watching when the client leaves", async () => {
    door.watchable.add("a:b");
    const heard = await listen({ resourceSubscriptions: ["a:b"] });
    expect(door.watching()).toBe(1);
    heard.leave();
    await vi.waitFor(() => expect(door.watching()).toBe(0));
  });

  it("tells a revoked key nothing more and ends", async () => {
    const heard = await listen({ toolsListChanged: true }, { key: OTHER });
    door.principals.delete(OTHER);
    door.announceChange();
    await vi.waitFor(() => expect(heard.ended).toBe(true));
    expect(methods(heard)).toEqual([ACK]);
  });

  it("has 64 streams for a principal; one more is told when to come back", async () => {
    const streams = await Promise.all(Array.from({ length: 64 }, () => listen({ toolsListChanged: true })));
    const refused = await knock(door.origin, modern("subscriptions/listen", { notifications: ALL }));
    expect(refused).toMatchObject({ status: 429, headers: { "retry-after": "5" } });
    expect(refused.json.error.data).toMatchObject({ kind: "rate_limited", details: { limit: 64, retry_after_s: 5 } });
    expect((await listen({ toolsListChanged: true }, { key: OTHER })).res.statusCode).toBe(200);
    streams[0]?.leave();
    await vi.waitFor(async () => expect((await listen({ toolsListChanged: true })).res.statusCode).toBe(200));
  });

  it.each([
    [undefined],
    [null],
    [[]],
    [{ toolsListChanged: "yes" }],
    [{ resourceSubscriptions: "a:b" }],
    [{ resourceSubscriptions: [7] }],
  ])("refuses %j", async (notifications) => {
    const said = await knock(door.origin, modern("subscriptions/listen", { notifications }));
    expect(said).toMatchObject({ status: 200, json: { id: 1, error: { code: -32602 } } });
  });

  it("refuses a URI above 8 KiB, and an id above 1 KiB, which every message would carry", async () => {
    const long = `test://${"é".repeat(4093)}`;
    door.watchable.add(long);
    const { headers, body } = modern("subscriptions/listen", { notifications: { resourceSubscriptions: [long] } });
    const byUri = await knock(door.origin, { headers: headers!, body: body! });
    expect(byUri.json.error).toMatchObject({ code: -32602, message: expect.stringContaining("8192") });
    const listening = modern("subscriptions/listen", { notifications: ALL }).body as object;
    const byId = await knock(door.origin, { headers: headers!, body: { ...listening, id: "x".repeat(1023) } });
    expect(byId.json.error).toMatchObject({ code: -32602, message: expect.stringContaining("1024") });
    expect((await listen(ALL, { id: "x".repeat(1022) })).res.statusCode).toBe(200);
  });

  it("needs a client that takes a stream", async () => {
    const accept = { accept: "application/json" };
    const said = await knock(door.origin, modern("subscriptions/listen", { notifications: ALL }, accept));
    expect(said.status).toBe(406);
  });
});

const ACK = "notifications/subscriptions/acknowledged";
