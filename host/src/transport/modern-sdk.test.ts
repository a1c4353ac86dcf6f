/** The protocol's own modern client against the door: it is asked, it listens, it sends the headers that tools want. */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { askingCall } from "./asking-call-for-tests.ts";
import { openTestDoor, OWNER, type TestDoor } from "./door-for-tests.ts";

let door: TestDoor;
let client: Client;
const CAPABILITIES = { elicitation: {}, sampling: {}, roots: {} };

beforeEach(async () => {
  door = await openTestDoor({ handleCall: askingCall });
  const versionNegotiation = { mode: { pin: "2026-07-28" } } as const;
  client = new Client({ name: "test", version: "1.0.0" }, { versionNegotiation, capabilities: CAPABILITIES });
  const requestInit = { headers: { Authorization: `Bearer ${OWNER}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${door.origin}/mcp`), { requestInit }));
});
afterEach(async () => {
  await client.close();
  await door.listener.close();
  expect(door.bugs).toEqual([]);
});

it("answers questions of several rounds and gets the result", async () => {
  const asked: unknown[] = [];
  client.setRequestHandler("elicitation/create", ({ params }) => {
    asked.push(params.message);
    return { action: "accept", content: { name: "x" } };
  });
  client.setRequestHandler("roots/list", () => ({ roots: [{ uri: "file:///a" }] }));
  const rounds = [[{ message: "one" }, { method: "roots/list" }], [{ message: "two" }]];
  const result = await client.callTool({ name: "t", arguments: { rounds } });
  expect(result["said"]).toEqual([
    { action: "accept", content: { name: "x" } },
    { roots: [{ uri: "file:///a" }] },
    { action: "accept", content: { name: "x" } },
  ]);
  expect(asked).toEqual(["one", "two"]);
  expect(door.calls).toHaveLength(1);
});

it("listens: hears what it asked for, and why it ends", async () => {
  door.watchable.add("a:b");
  const [tools, updated] = [vi.fn(), vi.fn()];
  client.setNotificationHandler("notifications/tools/list_changed", tools);
  client.setNotificationHandler("notifications/resources/updated", ({ params }) => updated(params.uri));
  const heard = await client.listen({ toolsListChanged: true, resourceSubscriptions: ["a:b", "c:d"] });
  expect(heard.honoredFilter).toEqual({ toolsListChanged: true, resourceSubscriptions: ["a:b"] });
  door.announceChange();
  door.update("a:b");
  await vi.waitFor(() => expect([tools.mock.calls.length, updated.mock.calls]).toEqual([1, [["a:b"]]]));
  const second = await client.listen({ promptsListChanged: true });
  await second.close();
  expect(await second.closed).toBe("local");
  await door.listener.close();
  expect(await heard.closed).toBe("graceful");
});

it("sends what a tool wants in headers, and the host finds it right", async () => {
  const schema = {
    type: "object",
    properties: {
      region: { type: "string", "x-mcp-header": "Region" },
      floor: { type: "integer", "x-mcp-header": "Floor" },
    },
  };
  door.shown.tools = JSON.stringify([{ name: "t", inputSchema: schema }]);
  door.paramHeaders.set("t", [
    { header: "Region", path: ["region"] },
    { header: "Floor", path: ["floor"] },
  ]);
  await client.listTools();
  await client.callTool({ name: "t", arguments: { region: "Zürich", floor: -3 } });
  await client.callTool({ name: "t", arguments: {} });
  expect(door.calls).toHaveLength(2);
});
