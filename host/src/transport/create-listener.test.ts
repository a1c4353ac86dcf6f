import { connect, type Socket } from "node:net";
import { afterEach, describe, expect, it, vi } from "vitest";
import { JSON_HEADERS, knock, modern, openSession } from "./client-for-tests.ts";
import { openTestDoor, type TestDoor, type TestDoorOptions } from "./door-for-tests.ts";

let door: TestDoor;
const open = async (options: TestDoorOptions = {}): Promise<TestDoor> => (door = await openTestDoor(options));
afterEach(async () => {
  door.release();
  await door.listener.close();
  expect(door.listener.load()).toEqual({ calls: 0, sessions: 0 });
});

const CALL = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: "2025-11-25" } });
const head = (length: number): string =>
  "POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer owner-key\r\n" +
  `Content-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;

/** Everything the host sends until it closes the connection or `enough` says so. */
const converse = async (talk: (socket: Socket) => Promise<void> | void, enough?: RegExp): Promise<string> => {
  const socket = connect(Number(new URL(door.origin).port), "127.0.0.1");
  let text = "";
  const closed = new Promise<void>((resolve) => {
    socket.on("data", (chunk: Buffer) => {
      text += chunk.toString();
      if (enough?.test(text)) socket.destroy();
    });
    socket.on("error", () => {});
    socket.on("close", () => resolve());
  });
  await talk(socket);
  await closed;
  return text;
};

describe("bytes on the wire", () => {
  it("may come one by one", async () => {
    await open();
    const text = await converse(async (socket) => {
      socket.setNoDelay(true);
      for (const byte of head(CALL.length) + CALL) {
        socket.write(byte);
        await new Promise(setImmediate);
      }
    }, /"protocolVersion"/);
    expect(text).toMatch(/^HTTP\/1.1 200 OK/);
  });

  it("may hold several requests, answered in their order", async () => {
    await open();
    const text = await converse((socket) => {
      socket.write(`${head(CALL.length)}${CALL}${head(2)}{}${head(CALL.length)}${CALL}`);
    }, /200 OK[^]*400 Bad[^]*200 OK[^]*"result"/);
    expect(text.match(/HTTP\/1.1 \d+/g)).toEqual(["HTTP/1.1 200", "HTTP/1.1 400", "HTTP/1.1 200"]);
  });

  it("that stop in the middle of a body end in a time-out, and cost nothing", async () => {
    await open({ timings: { headersMs: 200, requestMs: 300 } });
    const text = await converse((socket) => void socket.write(`${head(100)}{"jsonrpc`));
    expect(text).toMatch(/^HTTP\/1.1 408/);
  });

  it("that stop in the middle of the headers end in a time-out", async () => {
    await open({ timings: { headersMs: 200, requestMs: 300 } });
    const text = await converse((socket) => void socket.write("POST /mcp HTTP/1.1\r\nHost: loc"));
    expect(text).toMatch(/^HTTP\/1.1 408/);
  });

  it("that break off in the middle of a body are forgotten", async () => {
    await open();
    await converse(async (socket) => {
      socket.write(`${head(100)}{"jsonrpc`);
      await new Promise((resolve) => setTimeout(resolve, 20));
      socket.destroy();
    });
    expect((await knock(door.origin, { body: CALL })).status).toBe(200);
  });

  it.each([
    ["no HTTP at all", "\u0016\u0003\u0001\u0002garbage\r\n\r\n", "400"],
    ["no Host", "GET /v1/health HTTP/1.1\r\n\r\n", "400"],
    ["an empty Host", "GET /v1/health HTTP/1.1\r\nHost:\r\n\r\n", "421"],
    ["no Host in HTTP/1.0", "GET /v1/health HTTP/1.0\r\n\r\n", "421"],
    ["a whole URL as target", "GET http://evil.example/v1/health HTTP/1.1\r\nHost: localhost\r\n\r\n", "404"],
    ["two lengths", "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}", "400"],
    [
      "length and chunks",
      "POST /mcp HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n",
      "400",
    ],
    ["a header of 20 KB", `GET / HTTP/1.1\r\nHost: localhost\r\nX: ${"x".repeat(20_000)}\r\n\r\n`, "431"],
  ])("%s: %s", async (_, bytes, status) => {
    await open();
    const text = await converse((socket) => void socket.write(bytes), /\r\n\r\n/);
    expect(text.slice(9, 12)).toBe(status);
  });
});

describe("a reader that does not read", () => {
  it("makes progress merge and logs drop, and still gets its answer whole", async () => {
    const line = `"level":"error","data":"${"x".repeat(10_000)}"`;
    let sent = 0;
    await open({
      handleCall: async (raw) => {
        for (sent = 1; sent <= 3000; sent++) {
          raw.listener.log(line as never);
          raw.listener.progress(`"progress":${sent}` as never);
        }
        const ending = { kind: "result", json: '{"content":[]}' as never, isError: false } as const;
        return { ending, outcome: "success", principal: null, evidenceId: null, tool: null };
      },
    });
    const { call } = await openSession(door.origin);
    const { json } = await call("tools/call", { name: "x", _meta: { progressToken: 1 } });
    const logs = json.filter((message: any) => message.params?.data?.startsWith("x"));
    const progress = json.filter((message: any) => message.method === "notifications/progress");
    expect(logs.length).toBeGreaterThan(50);
    expect(logs.length).toBeLessThan(300);
    expect(json.at(-2)?.params).toEqual({ progressToken: 1, progress: 3000 });
    expect(progress.length).toBeLessThan(300);
    const told = json.find((message: any) => String(message.params?.data).includes("dropped"));
    expect(Number.parseInt(told.params.data, 10)).toBe(3000 - logs.length);
    expect(json.at(-1)).toMatchObject({ id: 1, result: { content: [] } });
  });
});

describe("without credentials by choice", () => {
  it("everyone is the local user, and the page for people says so", async () => {
    await open({ noAuth: true });
    const { authorization: _, ...headers } = JSON_HEADERS;
    expect((await knock(door.origin, { headers, body: CALL })).status).toBe(200);
    expect((await knock(door.origin, { method: "GET", path: "/", headers: {} })).text).toContain("--no-auth");
    expect((await knock(door.origin, { headers: { ...headers, host: "evil.example" }, body: CALL })).status).toBe(421);
  });
});

describe("closing", () => {
  it("lets calls that are out end, and tells new requests to come back later", async () => {
    await open();
    const { call, headers } = await openSession(door.origin);
    const slow = call("tools/call", { name: "slow" });
    await vi.waitFor(() => expect(door.listener.load().calls).toBe(1));
    const closing = door.listener.close();
    const refused = await knock(door.origin, { headers, body: CALL });
    expect(refused).toMatchObject({ status: 503, json: { error: { code: -32600 } } });
    expect(refused.headers["retry-after"]).toBe("5");
    const rest = await knock(door.origin, { method: "GET", path: "/v1/health" });
    expect(rest).toMatchObject({ status: 503, json: { error: "not_ready" } });
    expect(rest.headers["retry-after"]).toBe("5");
    door.release();
    expect((await slow).status).toBe(200);
    await closing;
    await expect(knock(door.origin, { body: CALL })).rejects.toThrow("ECONNREFUSED");
  });

  it("ends calls that do not end by themselves, and tells their callers", async () => {
    await open({ timings: { closeMs: 50 } });
    const { call } = await openSession(door.origin);
    const legacy = call("tools/call", { name: "slow" });
    const stateless = knock(door.origin, modern("tools/call", { name: "slow" }));
    await vi.waitFor(() => expect(door.listener.load().calls).toBe(2));
    await door.listener.close();
    expect((await legacy).json.result).toBeDefined();
    expect((await stateless).json.result).toBeDefined();
    expect(door.calls.every(({ signal }) => signal.aborted)).toBe(true);
  });

  it("says why an address cannot be had", async () => {
    await open();
    const port = Number(new URL(door.origin).port);
    await expect(openTestDoor({ port })).rejects.toThrow("EADDRINUSE");
  });
});
