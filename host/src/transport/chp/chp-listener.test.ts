import { request } from "node:http";
import { connect } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { knock } from "../client-for-tests.ts";
import { CHP_HEADERS, openChpDoor, type ChpTestDoor } from "./chp-door-for-tests.ts";

let door: ChpTestDoor | null = null;
afterEach(async () => {
  await door?.listener.close();
  door = null;
});

const get = (origin: string, path: string, headers: Record<string, string> = CHP_HEADERS) =>
  knock(origin, { method: "GET", path, headers });

describe("an address of its own", () => {
  it("has the door at its root and nothing else", async () => {
    door = await openChpDoor();
    const { origin } = await door.listener.listenChp("127.0.0.1", 0);
    expect((await get(origin, "/", {})).json).toMatchObject({ protocol: "chp" });
    expect((await get(origin, "/host")).json).toMatchObject({ id: "h" });
    expect((await get(origin, "/.well-known/chp-identity", {})).status).toBe(200);
    const body = { capability_id: "echo" };
    const said = await knock(origin, { path: "/invoke", headers: CHP_HEADERS, body });
    expect(said.json).toMatchObject({ outcome: "success" });
    for (const path of ["/mcp", "/v1/tools", "/chp/host"]) expect((await get(origin, path)).status).toBe(404);
  });

  it("answers to its own name and port, and to no other", async () => {
    door = await openChpDoor();
    const { origin } = await door.listener.listenChp("127.0.0.1", 0);
    expect((await get(origin, "/health", { host: new URL(origin).host })).status).toBe(200);
    expect((await get(origin, "/health", { host: "evil.example" })).status).toBe(421);
    expect((await get(origin, "/health", { origin: "https://evil.example" })).status).toBe(403);
  });

  it("says that its port is taken", async () => {
    door = await openChpDoor();
    const port = Number(new URL(door.origin).port);
    await expect(door.listener.listenChp("127.0.0.1", port)).rejects.toThrow("EADDRINUSE");
  });

  it("closes with the host", async () => {
    door = await openChpDoor();
    const { origin } = await door.listener.listenChp("127.0.0.1", 0);
    await door.listener.close();
    await expect(get(origin, "/health")).rejects.toThrow("ECONNREFUSED");
  });
});

describe("the mount", () => {
  it("is where it was configured, and the documents of the root stay at the root", async () => {
    door = await openChpDoor({ deps: { chp: { mount: "/x/y", publicDiscovery: [], metadata: () => ({}) } } });
    expect((await get(door.origin, "/x/y/host")).status).toBe(200);
    expect((await get(door.origin, "/x/yz")).json).toMatchObject({ error: "not_found" });
    expect((await get(door.origin, "/chp/host")).json).toMatchObject({ error: "not_found" });
    expect((await get(door.origin, "/.well-known/chp-identity", {})).status).toBe(200);
  });

  it("may be nowhere", async () => {
    door = await openChpDoor({ deps: { chp: { mount: null, publicDiscovery: [], metadata: () => ({}) } } });
    expect((await get(door.origin, "/chp/host")).json).toMatchObject({ error: "not_found" });
  });

  it("is closed while the host stops, and says when to come back", async () => {
    door = await openChpDoor({ timings: { closeMs: 500 } });
    const waiting = door.invoke({ capability_id: "wait" });
    await expect.poll(() => door?.calls.length).toBe(1);
    const held = holdConnection(door.origin);
    await held.ready;
    const closing = door.listener.close();
    const said = await held.ask();
    expect(said).toMatch(/^HTTP\/1.1 503/);
    expect(said).toContain("Retry-After: 5");
    expect(said).toContain('"code":"server_at_capacity"');
    expect((await waiting).status).toBe(200);
    await closing;
  });

  it("keeps a quiet stream open with comments", async () => {
    door = await openChpDoor({ timings: { commentMs: 5, closeMs: 50 } });
    const { origin } = door;
    const first = await new Promise<string>((resolve, reject) => {
      const req = request(`${origin}/chp/invoke`, { method: "POST", headers: CHP_HEADERS, agent: false }, (res) => {
        let text = "";
        res.setEncoding("utf8").on("data", (part: string) => {
          text += part;
          if (!text.includes(": \n\n")) return;
          resolve(text);
          req.destroy();
        });
      });
      req.on("error", reject);
      req.end('{"capability_id":"wait","mode":"stream"}');
    });
    expect(first).toMatch(/^id: 0\nevent: chunk\ndata: {"delta":"begun"}\n\n: \n\n/);
  });
});

/** A connection that is open before the host stops, and asks after that. */
const holdConnection = (origin: string): { ready: Promise<void>; ask: () => Promise<string> } => {
  const { hostname, port } = new URL(origin);
  const socket = connect(Number(port), hostname);
  let text = "";
  socket.setEncoding("utf8").on("data", (part: string) => {
    text += part;
  });
  const ended = new Promise<string>((resolve) => socket.on("close", () => resolve(text)));
  return {
    ready: new Promise((resolve) => socket.on("connect", () => resolve())),
    ask: () => {
      socket.write(`GET /chp/health HTTP/1.1\r\nHost: ${hostname}:${port}\r\n\r\n`);
      return ended;
    },
  };
};
