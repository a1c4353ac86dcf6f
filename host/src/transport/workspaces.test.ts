/** Workspaces as callers of every door see them: their own, those they are members of, and no others. */
import { PassThrough } from "node:stream";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { JSON_HEADERS, knock, modern, openSession, type Said } from "./client-for-tests.ts";
import { openTestDoor, OTHER, OWNER, type TestDoor } from "./door-for-tests.ts";
import { switchToStdio } from "./talk-for-tests.ts";

let door: TestDoor;
beforeEach(async () => {
  door = await openTestDoor();
  door.workspaces.members.set("ws_sales", ["person:owner"]);
  door.workspaces.members.set("ws_ops", ["person:other"]);
});
afterEach(async () => {
  await door.listener.close();
  expect(door.bugs).toEqual([]);
});

const CALL = { name: "echo", arguments: {} };
/** Opening a workspace takes until it is released. */
const hold = (): { release: () => void } => {
  const { promise, resolve } = Promise.withResolvers<void>();
  door.workspaces.held = promise;
  return { release: resolve };
};
const header = (workspace: string): Record<string, string> => ({ "x-workspace-id": workspace });

/** One call at each door of HTTP. */
const DOORS: [string, (more: Record<string, string>) => Promise<Said>][] = [
  ["REST", (more) => knock(door.origin, { path: "/v1/tools/call", headers: { ...JSON_HEADERS, ...more }, body: CALL })],
  ["MCP of the modern era", (more) => knock(door.origin, modern("tools/call", CALL, more))],
  [
    "MCP of the legacy era",
    (more) =>
      knock(door.origin, {
        headers: { ...JSON_HEADERS, ...more },
        body: { jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: "2025-11-25" } },
      }),
  ],
];

describe.each(DOORS)("a caller of %s", (name, call) => {
  const lastWorkspace = (): unknown => door.calls.at(-1)?.verified?.principal.workspace;

  it("is in its own workspace without a header, and nothing has to be opened", async () => {
    expect((await call({})).status).toBe(200);
    expect((await call(header("default"))).status).toBe(200);
    expect(door.workspaces.opened).toEqual([]);
    if (!name.includes("legacy")) expect(lastWorkspace()).toBe("default");
  });

  it("is in another one that it is a member of, which is opened when it first comes", async () => {
    expect((await call(header("ws_sales"))).status).toBe(200);
    expect((await call(header("ws_sales"))).status).toBe(200);
    expect(door.workspaces.opened).toEqual(["ws_sales"]);
    if (name.includes("legacy")) return;
    expect(lastWorkspace()).toBe("ws_sales");
    expect(door.calls.at(-1)?.presented).toMatchObject({ kind: "bearer", workspace: "ws_sales" });
  });

  it("hears the same of one that it is no member of as of one that there is not", async () => {
    const [hidden, unknown] = [await call(header("ws_ops")), await call(header("ws_none"))];
    const odd = await call(header("../ws_sales"));
    expect(hidden.status).toBe(404);
    expect(hidden.text).toBe(unknown.text);
    expect(hidden.text).toBe(odd.text);
    const { date: _, ...headers } = hidden.headers;
    expect(unknown.headers).toMatchObject(headers);
    expect([door.workspaces.opened, door.calls, door.rejected]).toEqual([[], [], []]);
  });

  it("without a key is asked for one, whatever workspace it names", async () => {
    for (const workspace of ["ws_sales", "ws_none"]) {
      expect((await call({ ...header(workspace), authorization: "Bearer nobody" })).status).toBe(401);
    }
    expect(door.rejected).toHaveLength(2);
  });

  it("of a workspace that is gone is told so", async () => {
    door.principals.set(OTHER, { ...door.principals.get(OTHER)!, workspace: "ws_gone" });
    expect((await call({ authorization: `Bearer ${OTHER}` })).status).toBe(404);
  });
});

describe("a legacy session", () => {
  it("is found in the workspace that it was opened in, and in others is as unknown as any", async () => {
    const opened = await knock(door.origin, {
      headers: { ...JSON_HEADERS, ...header("ws_sales") },
      body: { jsonrpc: "2.0", id: 0, method: "initialize", params: { protocolVersion: "2025-11-25" } },
    });
    const session = { "mcp-session-id": String(opened.headers["mcp-session-id"]) };
    const ping = (more: Record<string, string>): Promise<Said> =>
      knock(door.origin, {
        headers: { ...JSON_HEADERS, ...more },
        body: { jsonrpc: "2.0", id: 1, method: "ping" },
      });
    expect((await ping({ ...session, ...header("ws_sales") })).status).toBe(200);
    const [elsewhere, unknown] = [await ping(session), await ping({ "mcp-session-id": "0".repeat(32) })];
    expect(elsewhere.status).toBe(404);
    expect(elsewhere.text).toBe(unknown.text);
  });

  it("hears of changed lists of its own workspace alone", async () => {
    const { headers } = await openSession(door.origin);
    const controller = new AbortController();
    const response = await fetch(`${door.origin}/mcp`, {
      headers: { ...headers, accept: "text/event-stream" },
      signal: controller.signal,
    });
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    door.announceChange("ws_sales");
    door.watchable.add("a:b");
    await knock(door.origin, {
      headers,
      body: { jsonrpc: "2.0", id: 1, method: "resources/subscribe", params: { uri: "a:b" } },
    });
    door.update("a:b");
    let text = "";
    while (!text.includes("updated")) text += (await reader.read()).value ?? "";
    expect(text).not.toContain("list_changed");
    door.announceChange();
    while (!text.includes("tools/list_changed")) text += (await reader.read()).value ?? "";
    controller.abort();
  });
});

it("a listen stream hears of changed lists of its own workspace alone", async () => {
  const { headers, body } = modern(
    "subscriptions/listen",
    { notifications: { toolsListChanged: true } },
    header("ws_sales"),
  );
  const controller = new AbortController();
  const response = await fetch(`${door.origin}/mcp`, {
    method: "POST",
    headers: headers!,
    body: JSON.stringify(body),
    signal: controller.signal,
  });
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (!text.includes("acknowledged")) text += (await reader.read()).value ?? "";
  door.announceChange();
  door.announceChange("ws_sales");
  while (!text.includes("list_changed")) text += (await reader.read()).value ?? "";
  expect(text.match(/list_changed/g)).toHaveLength(1);
  // Who is taken off the list hears nothing more.
  door.workspaces.members.set("ws_sales", []);
  door.announceChange("ws_sales");
  for (let done = false; !done;) {
    const read = await reader.read();
    text += read.value ?? "";
    done = read.done;
  }
  expect(text.match(/list_changed/g)).toHaveLength(1);
  controller.abort();
});

describe("the local user on a pipe", () => {
  it("speaks in the workspace that is asked for, which is opened first", async () => {
    const switched = await switchToStdio(door.origin, OWNER, { headers: header("ws_sales") });
    if (!("talk" in switched)) throw new Error(JSON.stringify(switched));
    const { talk } = switched;
    talk.modern(1, "tools/call", CALL);
    await talk.answer(1);
    expect(door.workspaces.opened).toEqual(["ws_sales"]);
    expect(door.calls[0]?.presented).toEqual({ kind: "local", workspace: "ws_sales" });
    talk.endInput();
    await talk.over;
  });

  it("hears of a workspace that there is not before anything is said", async () => {
    const said = await switchToStdio(door.origin, OWNER, { headers: header("ws_none") });
    expect(said).toMatchObject({ status: 404, json: { error: "not_found" } });
    const output = new PassThrough();
    const order = { input: new PassThrough(), output, provider: null, workspace: "ws_none" };
    await expect(door.listener.stdio(order)).rejects.toMatchObject({ kind: "not_found" });
    expect(output.readableLength).toBe(0);
  });

  it("that goes while its workspace is opened leaves nothing behind", async () => {
    const opening = hold();
    const input = new PassThrough();
    const over = door.listener.stdio({ input, output: new PassThrough(), provider: null, workspace: "ws_sales" });
    const closed = new Promise((resolve) => input.once("close", resolve));
    input.destroy();
    await closed;
    opening.release();
    await over;
    expect(door.workspaces.opened).toEqual(["ws_sales"]);
  });

  it("hears that the host stopped while its workspace was opened", async () => {
    const opening = hold();
    const input = new PassThrough();
    const over = door.listener.stdio({ input, output: new PassThrough(), provider: null, workspace: "ws_sales" });
    await door.listener.close();
    opening.release();
    await expect(over).rejects.toMatchObject({ kind: "cancelled" });
  });
});
