/** The protocol's own clients, old and new, against the doors: what they make of our answers is what users see. */
import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from "@modelcontextprotocol/client";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as OldTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { openTestDoor, OWNER, type TestDoor } from "./door-for-tests.ts";

let door: TestDoor;
beforeAll(async () => {
  door = await openTestDoor();
});
afterAll(() => door.listener.close());

const INFO = { name: "test", version: "1.0.0" };
const requestInit = { headers: { Authorization: `Bearer ${OWNER}` } };
const url = (): URL => new URL(`${door.origin}/mcp`);
const ECHOED = [{ type: "text", text: '{"a":1}' }];

describe("SDK v1 client", () => {
  it("connects, lists, calls with progress, reads, hears changes, and leaves", async () => {
    const client = new OldClient(INFO);
    const changed = vi.fn();
    const { ToolListChangedNotificationSchema } = await import("@modelcontextprotocol/sdk/types.js");
    client.setNotificationHandler(ToolListChangedNotificationSchema, changed);
    const transport = new OldTransport(url(), { requestInit });
    await client.connect(transport);
    expect(client.getServerVersion()).toEqual({ name: "bailiwick", version: "1.2.3" });
    expect((await client.listTools()).tools.map((tool) => tool.name)).toEqual(["p__echo"]);
    expect((await client.callTool({ name: "echo", arguments: { a: 1 } })).content).toEqual(ECHOED);
    const onprogress = vi.fn();
    await client.callTool({ name: "chatty" }, undefined, { onprogress });
    expect(onprogress).toHaveBeenCalledTimes(3);
    expect((await client.readResource({ uri: "a:b" })).contents).toHaveLength(1);
    await expect(client.readResource({ uri: "missing:x" })).rejects.toMatchObject({ code: -32002 });
    await client.ping();
    await vi.waitFor(
      () => {
        door.announceChange();
        expect(changed).toHaveBeenCalled();
      },
      { timeout: 5000, interval: 60 },
    );
    await transport.terminateSession();
    await client.close();
  });

  it("cancels a call and goes on", async () => {
    const client = new OldClient(INFO);
    await client.connect(new OldTransport(url(), { requestInit }));
    const abort = new AbortController();
    const before = door.calls.length;
    const call = client.callTool({ name: "slow" }, undefined, { signal: abort.signal });
    await vi.waitFor(() => expect(door.calls.length).toBe(before + 1));
    abort.abort();
    await expect(call).rejects.toThrow();
    await vi.waitFor(() => expect(door.calls.at(-1)?.signal.aborted).toBe(true));
    expect((await client.callTool({ name: "echo", arguments: { a: 1 } })).content).toEqual(ECHOED);
    await client.close();
  });
});

describe("SDK v2 client", () => {
  it.each(["legacy", "auto"] as const)("connects in mode %s, lists and calls", async (mode) => {
    const client = new ModernClient(INFO, { versionNegotiation: { mode } });
    await client.connect(new ModernTransport(url(), { requestInit }));
    expect((await client.listTools()).tools.map((tool) => tool.name)).toEqual(["p__echo"]);
    expect((await client.callTool({ name: "echo", arguments: { a: 1 } })).content).toEqual(ECHOED);
    expect((await client.readResource({ uri: "a:b" })).contents).toHaveLength(1);
    const onprogress = vi.fn();
    await client.callTool({ name: "chatty" }, { onprogress });
    expect(onprogress).toHaveBeenCalledTimes(3);
    await client.close();
  });

  it("in its modern era opens no session, and its cancellation arrives", async () => {
    const sessions = door.listener.load().sessions;
    const client = new ModernClient(INFO, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
    await client.connect(new ModernTransport(url(), { requestInit }));
    const abort = new AbortController();
    const before = door.calls.length;
    const call = client.callTool({ name: "slow" }, { signal: abort.signal });
    await vi.waitFor(() => expect(door.calls.length).toBe(before + 1));
    abort.abort();
    await expect(call).rejects.toThrow();
    await vi.waitFor(() => expect(door.calls.at(-1)?.signal.aborted).toBe(true));
    expect(door.listener.load().sessions).toBe(sessions);
    await client.close();
  });

  it("without a key is told so", async () => {
    const client = new ModernClient(INFO);
    await expect(client.connect(new ModernTransport(url()))).rejects.toThrow();
  });
});
