/** How `bailiwick mcp` gets from a running host to the door on a pipe, and who does not. */
import { connect } from "node:net";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { JSON_HEADERS, knock } from "./client-for-tests.ts";
import { openTestDoor, OTHER, OWNER, type TestDoor } from "./door-for-tests.ts";
import { switchToStdio, type Talk, type UpgradeOrder } from "./talk-for-tests.ts";

let door: TestDoor;
beforeEach(async () => {
  door = await openTestDoor({ timings: { closeMs: 200 } });
});
afterEach(() => door.listener.close());

const opened = async (order: UpgradeOrder = {}): Promise<Talk> => {
  const switched = await switchToStdio(door.origin, OWNER, order);
  if (!("talk" in switched)) throw new Error(`status ${switched.status}: ${JSON.stringify(switched.json)}`);
  return switched.talk;
};

describe("the owner's key", () => {
  it("opens the door, where the local user speaks", async () => {
    const talk = await opened();
    talk.modern(1, "tools/call", { name: "echo", arguments: { a: 1 } });
    expect((await talk.answer(1)).result.content[0].text).toBe('{"a":1}');
    expect(door.calls[0]).toMatchObject({ presented: { kind: "local" }, provider: null });
    talk.endInput();
    await talk.over;
  });

  it("opens it on one provider", async () => {
    const talk = await opened({ path: "/v1/stdio?provider=p" });
    talk.modern(1, "tools/call", { name: "echo" });
    await talk.answer(1);
    expect(door.calls[0]).toMatchObject({ provider: "p" });
    talk.endInput();
    await talk.over;
  });

  it("lets the end of input wait for the answers, and cancels modern calls of a lost connection", async () => {
    const talk = await opened();
    talk.modern(1, "tools/call", { name: "slow" });
    await vi.waitFor(() => expect(door.calls).toHaveLength(1));
    talk.endInput();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(door.calls[0]?.signal.aborted).toBe(false);
    talk.drop();
    await vi.waitFor(() => expect(door.calls[0]?.signal.aborted).toBe(true));
  });
});

describe("is not opened", () => {
  it.each([
    ["without a known key", { headers: { authorization: "Bearer nobody" } }, 401, "unauthenticated"],
    ["from another site", { headers: { origin: "https://evil.example" } }, 403, "bad_origin"],
    ["from a site that may use /mcp", { headers: { origin: "https://app.example" } }, 404, "not_found"],
    ["under another name", { headers: { host: "evil.example" } }, 421, "bad_host"],
    ["on another path", { path: "/mcp" }, 404, "not_found"],
    ["on a provider that is not there", { path: "/v1/stdio?provider=nope" }, 404, "not_found"],
  ])("%s", async (_, order, status, error) => {
    expect(await switchToStdio(door.origin, OWNER, order)).toMatchObject({ status, json: { error } });
    expect(door.bugs).toEqual([]);
  });

  it("to a key that is not the owner's", async () => {
    const said = await switchToStdio(door.origin, OTHER);
    expect(said).toMatchObject({ status: 403, json: { error: "permission_missing" } });
  });

  it("as an ordinary request", async () => {
    const said = await knock(door.origin, { method: "GET", path: "/v1/stdio" });
    expect(said.status).toBe(404);
  });
});

it("other protocols that a client offers are ignored, and its request is answered", async () => {
  const headers = {
    ...JSON_HEADERS,
    connection: "Upgrade, HTTP2-Settings",
    upgrade: "h2c",
    "http2-settings": "AAMAAABk",
  };
  const params = { protocolVersion: "2025-11-25", capabilities: {} };
  const said = await knock(door.origin, { headers, body: { jsonrpc: "2.0", id: 1, method: "initialize", params } });
  expect(said.json.result.serverInfo.name).toBe("bailiwick");
});

it("a client that breaks off in the handshake costs nothing", async () => {
  for (let i = 0; i < 20; i++) {
    const socket = connect(Number(new URL(door.origin).port), "127.0.0.1");
    socket.on("error", () => {});
    socket.write(
      `GET /v1/stdio HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${OWNER}\r\nConnection: Upgrade\r\nUpgrade: bailiwick-stdio\r\n\r\n`,
      () => socket.resetAndDestroy(),
    );
  }
  const talk = await opened();
  talk.request(1, "ping");
  await talk.answer(1);
  talk.drop();
  await vi.waitFor(() => expect(door.listener.load()).toEqual({ calls: 0, sessions: 0 }));
  expect(door.bugs).toEqual([]);
});

it("closing the host answers what is out and ends every connection", async () => {
  const [busy, idle] = [await opened(), await opened()];
  await idle.initialize();
  busy.modern(1, "tools/call", { name: "slow" });
  idle.modern("l", "subscriptions/listen", { notifications: { toolsListChanged: true } });
  await idle.until(({ method }) => method === "notifications/subscriptions/acknowledged");
  await vi.waitFor(() => expect(door.calls).toHaveLength(1));
  await door.listener.close();
  await Promise.all([busy.over, idle.over]);
  expect((await busy.answer(1)).result).toBeDefined();
  expect((await idle.answer("l")).result.resultType).toBe("complete");
});
