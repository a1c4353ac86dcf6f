import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { KNOWN, type StandInChats } from "./chat-agent-for-tests.ts";
import { JSON_HEADERS, knock, type Said } from "./client-for-tests.ts";
import { openTestDoor, OWNER, type TestDoor } from "./door-for-tests.ts";

const SCOPED = "scoped-key";

let door: TestDoor;
let chats: StandInChats;
beforeAll(async () => {
  door = await openTestDoor();
  ({ chats } = door.governance);
  door.principals.set(SCOPED, { ...door.principals.get(OWNER)!, scopes: ["p__*"] });
});
afterAll(async () => {
  await door.listener.close();
  expect(door.bugs).toEqual([]);
});

const ask = (method: string, path: string, body?: object | string, key = OWNER): Promise<Said> =>
  knock(door.origin, {
    method,
    path: `/v1/conversations${path}`,
    headers: { ...JSON_HEADERS, authorization: `Bearer ${key}` },
    ...(body === undefined ? {} : { body }),
  });

describe("the conversations of a workspace", () => {
  it("are listed, twenty at a time, the latest first", async () => {
    const said = await ask("GET", "");
    expect(said).toMatchObject({
      status: 200,
      json: { conversations: [{ id: KNOWN, title: "Reports" }], nextCursor: null, totalCount: 1 },
    });
    expect(chats.queries.at(-1)).toEqual({ limit: 20, cursor: null, search: null, sortBy: "updatedAt" });
  });

  it("are searched, sorted and turned over", async () => {
    await ask("GET", "?limit=100&cursor=abc&search=caf%C3%A9%20x&sortBy=createdAt");
    expect(chats.queries.at(-1)).toEqual({ limit: 100, cursor: "abc", search: "café x", sortBy: "createdAt" });
    await ask("GET", "?search=&cursor=");
    expect(chats.queries.at(-1)).toMatchObject({ cursor: null, search: null });
  });

  it.each([
    "limit=0",
    "limit=101",
    "limit=-1",
    "limit=1.5",
    "limit=x",
    "limit=",
    "limit=1e1",
    "sortBy=title",
    "sortBy=",
    "cursor=bad",
    `cursor=${"x".repeat(513)}`,
    `search=${"x".repeat(513)}`,
    "q=x",
    "limit=1&limit=2",
  ])("?%s is a bad request", async (query) => {
    const said = await ask("GET", `?${query}`);
    expect(said).toMatchObject({ status: 400, json: { error: "bad_request", remedy: expect.any(String) } });
  });

  it("are not for a key that may name only some tools", async () => {
    for (const [method, path] of [
      ["GET", ""],
      ["GET", `/${KNOWN}/history`],
      ["DELETE", `/${KNOWN}`],
      ["POST", `/${KNOWN}/fork`],
    ] as const) {
      const said = await ask(method, path, undefined, SCOPED);
      expect(said).toMatchObject({ status: 403, json: { error: "permission_missing" } });
    }
    expect(chats.log).toEqual([]);
  });
});

describe("one conversation", () => {
  it("shows its messages", async () => {
    const message = { role: "user", content: "Which are new?", ts: "2026-01-02T03:04:05.678Z" };
    expect((await ask("GET", `/${KNOWN}/history`)).json).toEqual({ conversationId: KNOWN, messages: [message] });
  });

  it("is renamed", async () => {
    const said = await ask("PATCH", `/${KNOWN}`, { title: "Other" });
    expect(said).toMatchObject({ status: 200, json: { id: KNOWN, title: "Other", messageCount: 1 } });
  });

  it.each([
    [{}],
    [{ title: 1 }],
    [{ title: " " }],
    [{ title: "x".repeat(1001) }],
    [{ title: "a", id: "b" }],
    [[]],
    ["{"],
  ])("is not renamed by %j", async (body) => {
    const said = await ask("PATCH", `/${KNOWN}`, body);
    expect(said).toMatchObject({ status: 400, json: { error: "bad_request", remedy: expect.any(String) } });
  });

  it.each([
    [undefined, null],
    [{}, null],
    [{ atMessage: null }, null],
    [{ atMessage: 0 }, 0],
    [{ atMessage: 7 }, 7],
  ])("is forked by %j at %j", async (body, at) => {
    expect(await ask("POST", `/${KNOWN}/fork`, body)).toMatchObject({ status: 201, json: { id: "conv_forked1" } });
    expect(chats.log.at(-1)).toBe(`fork at ${at}`);
  });

  it.each([[{ atMessage: -1 }], [{ atMessage: 1.5 }], [{ atMessage: "1" }], [{ at: 1 }], [[]]])(
    "is not forked by %j",
    async (body) => {
      expect(await ask("POST", `/${KNOWN}/fork`, body)).toMatchObject({ status: 400, json: { error: "bad_request" } });
    },
  );

  it("has its run cancelled", async () => {
    expect(await ask("POST", `/${KNOWN}/cancel`)).toMatchObject({ status: 202, json: { conversationId: KNOWN } });
    expect(chats.log.at(-1)).toBe(`cancel ${KNOWN} by person:owner at rest as bearer`);
    expect((await ask("POST", `/${KNOWN}/cancel`, "no JSON")).status).toBe(400);
  });

  it("is deleted", async () => {
    chats.log.length = 0;
    const said = await ask("DELETE", `/${KNOWN}`);
    expect(said).toMatchObject({ status: 204, text: "" });
    expect(said.headers["content-length"]).toBeUndefined();
    expect(chats.log).toEqual([`delete ${KNOWN}`]);
  });

  it.each([
    ["conv_unknown1", 404, "not_found"],
    ["..%2F..%2Fetc%2Fpasswd", 400, "bad_request"],
    ["conv_A", 400, "bad_request"],
  ])("called %s is not there", async (id, status, error) => {
    for (const said of [
      await ask("GET", `/${id}/history`),
      await ask("PATCH", `/${id}`, { title: "a" }),
      await ask("DELETE", `/${id}`),
      await ask("POST", `/${id}/fork`),
      await ask("POST", `/${id}/cancel`),
    ]) {
      expect(said).toMatchObject({ status, json: { error } });
    }
  });
});
