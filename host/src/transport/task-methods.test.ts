import { request } from "node:http";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { knock, modern, openSession, type Said } from "./client-for-tests.ts";
import { openTestDoor, OTHER, OWNER, type TestDoor } from "./door-for-tests.ts";
import { META_CAPABILITIES, META_SUBSCRIPTION } from "./protocol.ts";

let door: TestDoor;
beforeEach(async () => {
  door = await openTestDoor();
});
afterEach(async () => {
  await door.listener.close();
  expect(door.bugs).toEqual([]);
});

const DECLARED = { [META_CAPABILITIES]: { extensions: { "io.modelcontextprotocol/tasks": {} } } };

const ask = (
  method: string,
  params: Record<string, unknown>,
  headers: Record<string, string> = {},
  path = "/mcp",
): Promise<Said> =>
  knock(door.origin, { ...modern(method, { _meta: { ...DECLARED, "x/y": 1 }, ...params }, headers), path });

const METHODS = [
  ["tasks/get", {}],
  ["tasks/update", { inputResponses: {} }],
  ["tasks/cancel", {}],
] as const;

describe("a request about a task", () => {
  it("is answered as it came, with the type of result where it lacks", async () => {
    const { status, text } = await ask("tasks/get", { taskId: "tk_1" });
    expect(status).toBe(200);
    expect(text).toBe('{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","taskId":"tk_1","n":1.0}}');
    expect((await ask("tasks/cancel", { taskId: "tk_1" })).text).toContain('{"resultType":"complete","x":1.0}');
    expect(door.tasks.orders[0]).toMatchObject({ id: "tk_1", provider: null, meta: '"x/y":1' });
    expect(door.tasks.orders[0]?.declared.json).toBe('{"extensions":{"io.modelcontextprotocol/tasks":{}}}');
  });

  it("hands answers on byte for byte, and says on which endpoint", async () => {
    const { headers, body } = modern("tasks/update", { taskId: "tk_1", _meta: DECLARED });
    const text = JSON.stringify(body).replace('"taskId"', '"inputResponses":{"k": {"n":1.0}},"taskId"');
    const said = await knock(door.origin, { headers: headers!, body: text, path: "/mcp/providers/p" });
    expect(said.json).toEqual({ jsonrpc: "2.0", id: 1, result: { resultType: "complete" } });
    expect(door.tasks.responses).toEqual(['{"k": {"n":1.0}}']);
    expect(door.tasks.orders[0]?.provider).toBe("p");
  });

  it.each(METHODS)("%s is -32021 for a client that did not declare tasks with this request", async (method, params) => {
    const { status, json } = await ask(method, { taskId: "tk_1", ...params, _meta: {} });
    expect(status).toBe(400);
    expect(json.error).toMatchObject({
      code: -32021,
      data: { requiredCapabilities: { extensions: { "io.modelcontextprotocol/tasks": {} } } },
    });
    expect(door.tasks.orders).toEqual([]);
  });

  it.each(METHODS)("%s needs the header Mcp-Name, equal to the id", async (method, params) => {
    const { headers, body } = modern(method, { taskId: "tk_1", ...params, _meta: DECLARED });
    const { "mcp-name": _name, ...without } = headers!;
    for (const wrong of [without, { ...without, "mcp-name": "tk_2" }]) {
      const said = await knock(door.origin, { headers: wrong, body: body! });
      expect([said.status, said.json.error.code]).toEqual([400, -32020]);
    }
    expect(door.tasks.orders).toEqual([]);
  });

  it.each([
    ["tasks/get", {}],
    ["tasks/get", { taskId: 7 }],
    ["tasks/update", { taskId: "tk_1" }],
    ["tasks/update", { taskId: "tk_1", inputResponses: [] }],
  ])("%s with %o is -32602", async (method, params) => {
    expect((await ask(method, params)).json.error.code).toBe(-32602);
    expect(door.tasks.orders).toEqual([]);
  });

  it.each(["tasks/result", "tasks/list"])("%s is a method of the past", async (method) => {
    const said = await ask(method, { taskId: "tk_1" });
    expect([said.status, said.json.error.code]).toEqual([404, -32601]);
  });

  it("is unknown to the legacy era", async () => {
    const session = await openSession(door.origin);
    expect((await session.call("tasks/get", { taskId: "tk_1" })).json.error.code).toBe(-32601);
    expect(session.said.text).not.toContain("io.modelcontextprotocol/tasks");
  });
});

it("server/discover announces tasks, among the extensions", async () => {
  const { json } = await ask("server/discover", {});
  expect(json.result.capabilities.extensions).toMatchObject({ "io.modelcontextprotocol/tasks": {} });
  expect(json.result.capabilities.tasks).toBeUndefined();
});

describe("taskIds of subscriptions/listen", () => {
  const listen = (
    key: string,
    meta: object,
  ): Promise<{ text: () => string; ended: () => boolean; leave: () => void }> =>
    new Promise((resolve, reject) => {
      const notifications = { taskIds: ["tk_1", "tk_2", "tk_1"] };
      const { headers, body } = modern("subscriptions/listen", { notifications, _meta: meta });
      const auth = { ...headers, authorization: `Bearer ${key}` };
      const req = request(`${door.origin}/mcp`, { method: "POST", headers: auth, agent: false }, (res) => {
        let text = "";
        let ended = false;
        res.on("data", (chunk: Buffer) => (text += chunk.toString()));
        res.on("end", () => (ended = true));
        res.on("error", () => {});
        resolve({ text: () => text, ended: () => ended, leave: () => req.destroy() });
      });
      req.on("error", reject);
      req.end(JSON.stringify(body));
    });

  it("acknowledges those that are the caller's, tells their states, and forgets them when it leaves", async () => {
    const heard = await listen(OWNER, DECLARED);
    await vi.waitFor(() => expect(heard.text()).toContain('"notifications":{"taskIds":["tk_1"]}'));
    door.tasks.tell(`"taskId":"tk_1","n":1.0,"_meta":{"x":1.0,"${META_SUBSCRIPTION}":9}`);
    await vi.waitFor(() =>
      expect(heard.text()).toContain(
        `{"jsonrpc":"2.0","method":"notifications/tasks","params":{"taskId":"tk_1","n":1.0,"_meta":{"${META_SUBSCRIPTION}":1,"x":1.0}}}`,
      ),
    );
    expect(door.tasks.watching()).toBe(1);
    expect([...door.tasks.declared]).toEqual([JSON.stringify(DECLARED[META_CAPABILITIES])]);
    heard.leave();
    await vi.waitFor(() => expect(door.tasks.watching()).toBe(0));
  });

  it.each([
    ["somebody else", OTHER, DECLARED],
    ["a client that did not declare tasks", OWNER, {}],
  ])("tells %s nothing", async (_, key, meta) => {
    const heard = await listen(key, meta);
    await vi.waitFor(() => expect(heard.ended()).toBe(true));
    expect(heard.text()).not.toContain("tk_1");
    expect(door.tasks.watching()).toBe(0);
  });
});
