/** The protocol's own clients that have roots: each call has what its client would list at that moment. */
import { Client as NewClient, StreamableHTTPClientTransport as NewTransport } from "@modelcontextprotocol/client";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as OldTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ListRootsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { openTestDoor, OWNER, type TestDoor } from "./door-for-tests.ts";

let door: TestDoor;
beforeEach(async () => {
  door = await openTestDoor({ timings: { closeMs: 200 } });
});
afterEach(() => door.listener.close());

const INFO = { name: "test", version: "1.0.0" };
const HERO = { uri: "file:///projects/hero", name: "hero" };
const SIDE = { uri: "file:///projects/My%20Side" };
const requestInit = { headers: { Authorization: `Bearer ${OWNER}` } };
const url = (): URL => new URL(`${door.origin}/mcp`);
const CALL = { name: "echo", arguments: { a: 1 } };
const lastListed = () => door.calls.at(-1)?.clientRoots?.listed;

describe("SDK v1 client with roots", () => {
  it("has them in its first call, other ones after it said so, and none after it took them back", async () => {
    const client = new OldClient(INFO, { capabilities: { roots: { listChanged: true } } });
    const list = vi.fn(() => ({ roots: [HERO] as { uri: string; name?: string }[] }));
    client.setRequestHandler(ListRootsRequestSchema, () => list());
    const transport = new OldTransport(url(), { requestInit });
    await client.connect(transport);
    await client.callTool(CALL);
    expect(door.calls[0]?.clientRoots).toEqual({ listed: [HERO], via: "http" });
    await client.callTool(CALL);
    expect(door.calls[1]?.clientRoots).toBe(door.calls[0]?.clientRoots);
    expect(list).toHaveBeenCalledTimes(1);

    list.mockReturnValue({ roots: [SIDE, HERO] });
    await client.sendRootsListChanged();
    await client.callTool(CALL);
    expect(lastListed()).toEqual([{ ...SIDE, name: null }, HERO]);

    list.mockReturnValue({ roots: [] });
    await client.sendRootsListChanged();
    await client.callTool(CALL);
    expect(lastListed()).toEqual([]);
    expect(list).toHaveBeenCalledTimes(3);
    await transport.terminateSession();
    await client.close();
    expect(door.bugs).toEqual([]);
  });

  it("that fails to list them goes on without, and keeps nothing that it announced before", async () => {
    const client = new OldClient(INFO, { capabilities: { roots: { listChanged: true } } });
    const list = vi.fn((): { roots: { uri: string }[] } => {
      throw new Error("no roots today");
    });
    client.setRequestHandler(ListRootsRequestSchema, () => list());
    await client.connect(new OldTransport(url(), { requestInit }));
    await client.callTool(CALL);
    expect(door.calls[0]?.clientRoots).toBeNull();
    list.mockReturnValueOnce({ roots: [SIDE] });
    await client.sendRootsListChanged();
    await client.callTool(CALL);
    expect(lastListed()).toEqual([{ ...SIDE, name: null }]);
    await client.sendRootsListChanged();
    await client.callTool(CALL);
    expect(lastListed()).toEqual([]);
    await client.close();
  });

  it("gets its result with its roots, progress and all", async () => {
    const client = new OldClient(INFO, { capabilities: { roots: {} } });
    client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [HERO] }));
    await client.connect(new OldTransport(url(), { requestInit }));
    const onprogress = vi.fn();
    const { content } = await client.callTool({ ...CALL, name: "chatty" }, undefined, { onprogress });
    expect(content).toEqual([{ type: "text", text: '{"a":1}' }]);
    expect(onprogress).toHaveBeenCalledTimes(3);
    expect(lastListed()).toEqual([HERO]);
    await client.close();
  });
});

describe("SDK v2 client with roots", () => {
  it("has them where it speaks a legacy version", async () => {
    const client = new NewClient(INFO, {
      capabilities: { roots: { listChanged: true } },
      versionNegotiation: { mode: "legacy" },
    });
    client.setRequestHandler("roots/list", () => ({ roots: [HERO] }));
    await client.connect(new NewTransport(url(), { requestInit }));
    await client.callTool(CALL);
    expect(lastListed()).toEqual([HERO]);
    await client.close();
  });
});
