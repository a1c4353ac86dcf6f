/**
 * The doors under input that nobody thought of. Every answer must be the exact refusal that the rules give, nothing may
 * reach the call path that should not, and afterwards the listener holds nothing and still works.
 */
import { connect } from "node:net";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { knock, modern, openSession, type Said } from "./client-for-tests.ts";
import { openTestDoor, type TestDoor } from "./door-for-tests.ts";

let door: TestDoor;
let session: Awaited<ReturnType<typeof openSession>>;
beforeAll(async () => {
  door = await openTestDoor({ limits: { maxRequestBytes: 100_000 } });
  session = await openSession(door.origin);
});
afterAll(async () => {
  await vi.waitFor(() => expect(door.listener.load().calls).toBe(0));
  expect((await session.call("tools/call", { name: "echo" })).status).toBe(200);
  await door.listener.close();
  expect(door.bugs).toEqual([]);
});

const RUNS = { numRuns: 300 };
const verdict = ({ status, json }: Said): string => `${status} ${json?.error?.code ?? (json ? "result" : "-")}`;
const post = (body: string | Buffer | object, headers: Record<string, string> = {}): Promise<Said> =>
  knock(door.origin, { headers: { ...session.headers, ...headers }, body });

const isJson = (bytes: Uint8Array): boolean => {
  try {
    JSON.parse(Buffer.from(bytes).toString("utf8"));
    return true;
  } catch {
    return false;
  }
};
const isText = (bytes: Uint8Array): boolean => {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
};

describe("a body of anything", () => {
  it("bytes: not UTF-8 is -32600, not JSON is -32700, JSON that is no message is -32600", async () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc.string({ unit: "binary" }).map((text) => Buffer.from(text)),
      fc.json().map((text) => Buffer.from(text)),
      fc.tuple(fc.json(), fc.nat()).map(([text, cut]) => Buffer.from(text.slice(0, cut % (text.length + 1)))),
    );
    await fc.assert(
      fc.asyncProperty(bytes, async (body) => {
        const expected = !isText(body) || isJson(body) ? "400 -32600" : "400 -32700";
        expect(verdict(await post(Buffer.from(body)))).toBe(expected);
      }),
      RUNS,
    );
  });

  it("parts of messages: exactly the well-formed ones are taken", async () => {
    const any = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constant(undefined));
    const part = (good: unknown): fc.Arbitrary<unknown> => fc.oneof({ weight: 3, arbitrary: fc.constant(good) }, any);
    const message = fc.record({
      jsonrpc: part("2.0"),
      id: part(7),
      method: part("ping"),
      params: part({}),
    });
    await fc.assert(
      fc.asyncProperty(message, async (parts) => {
        const { jsonrpc, id, method, params } = JSON.parse(JSON.stringify(parts)) as Record<string, unknown>;
        const isObject = typeof params === "object" && params !== null && !Array.isArray(params);
        const whole = jsonrpc === "2.0" && typeof method === "string" && (params === undefined || isObject);
        const named = typeof id === "string" || Number.isSafeInteger(id);
        const said = verdict(await post(JSON.stringify(parts)));
        if (!whole || (id !== undefined && !named)) expect(said).toBe("400 -32600");
        else if (id === undefined) expect(said).toBe("202 -");
        else expect(said).toBe(method === "ping" ? "200 result" : "200 -32601");
      }),
      RUNS,
    );
  });

  it("params of anything: a call arrives with a name and an object, or not at all", async () => {
    const any = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constant(undefined));
    const params = fc.record({
      name: fc.oneof(fc.constant("echo"), any),
      uri: fc.oneof(fc.constant("a:b"), any),
      ref: fc.oneof(fc.constant({ type: "ref/prompt", name: "echo" }), any),
      arguments: fc.oneof(fc.constant({ a: 1 }), any),
      _meta: fc.oneof(fc.constant({ progressToken: 1 }), any),
    });
    const method = fc.constantFrom("tools/call", "resources/read", "prompts/get", "completion/complete");
    await fc.assert(
      fc.asyncProperty(method, params, async (called, given) => {
        const before = door.calls.length;
        const said = verdict(await session.call(called, given));
        expect(["200 result", "200 -32602"]).toContain(said);
        const arrived = door.calls.slice(before);
        expect(arrived).toHaveLength(said === "200 result" ? 1 : 0);
        for (const { name, args } of arrived) {
          expect(typeof name).toBe("string");
          expect(Object.prototype.toString.call(args)).toBe("[object Object]");
        }
      }),
      RUNS,
    );
  });

  it("arguments of anything arrive as the text that was sent", async () => {
    const args = fc.dictionary(fc.string({ unit: "binary" }), fc.jsonValue({ maxDepth: 4 }));
    await fc.assert(
      fc.asyncProperty(args, fc.constantFrom(0, 1, "\t"), async (value, indent) => {
        const text = JSON.stringify(value, null, indent).replaceAll("\n", "\r\n");
        const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":${text}}}`;
        const said = await post(body);
        expect(said.json.result.content[0].text).toBe(text);
        expect(door.calls.at(-1)?.args).toEqual(JSON.parse(text));
      }),
      RUNS,
    );
  });

  it("a member twice, at any depth and however it is spelled, is -32600", async () => {
    const path = fc.array(fc.oneof(fc.constant(null), fc.string({ minLength: 1, maxLength: 5 })), { maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(path, fc.string({ maxLength: 5 }), fc.boolean(), async (around, key, escaped) => {
        const name = JSON.stringify(key);
        const again =
          escaped && /^"\w/.test(name)
            ? `"\\u${name.charCodeAt(1).toString(16).padStart(4, "0")}${name.slice(2)}`
            : name;
        const inside = `{${name}:1,"between":{${name}:3},${again}:2}`;
        const args = around.reduceRight<string>(
          (text, step) => (step === null ? `[0,${text}]` : `{${JSON.stringify(step)}:${text}}`),
          inside,
        );
        const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"x":${args}}}}`;
        const before = door.calls.length;
        expect(verdict(await post(body))).toBe("400 -32600");
        expect(door.calls.length).toBe(before);
      }),
      RUNS,
    );
  });

  it.each([
    ["252 deep arrays", "[", "]", 252, "200 result"],
    ["254 deep arrays", "[", "]", 254, "400 -32600"],
    ["45 000 deep arrays", "[", "]", 45_000, "400 -32600"],
    ["15 000 deep objects", '{"a":', "}", 15_000, "400 -32600"],
  ])("%s are answered %s", async (_, open, close, depth, expected) => {
    const nested = `${open.repeat(depth)}${open === "[" ? "" : "1"}${close.repeat(depth)}`;
    const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"x":${nested}}}}`;
    expect(verdict(await post(body))).toBe(expected);
  });
});

describe("headers of anything", () => {
  const value = fc.string({ unit: fc.constantFrom(...'abz019-_./:;,=?@[]*" \t'.split("")), maxLength: 30 });

  it("never let a foreign Host, Origin or key through", async () => {
    const headers = fc.record({ host: value, origin: value, authorization: value }, { requiredKeys: [] });
    await fc.assert(
      fc.asyncProperty(headers, async (spoiled) => {
        const { status } = await post({ jsonrpc: "2.0", id: 1, method: "ping" }, spoiled);
        if (spoiled.host) expect(status).toBe(421);
        else if (spoiled.origin !== undefined) expect(status).toBe(403);
        else expect(status).toBe(spoiled.authorization === undefined ? 200 : 401);
      }),
      RUNS,
    );
  });

  it("of the protocol end in one of its refusals", async () => {
    const names = [
      "mcp-session-id",
      "mcp-protocol-version",
      "mcp-method",
      "mcp-name",
      "accept",
      "content-type",
    ] as const;
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...names), value, fc.boolean(), async (name, text, isModern) => {
        const knocked = modern("tools/call", { name: "echo" });
        const before = door.calls.length;
        const legacy = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "echo" } };
        const said = isModern
          ? await knock(door.origin, { ...knocked, headers: { ...knocked.headers, [name]: text } })
          : await post(legacy, { [name]: text });
        expect([
          "200 result",
          "400 -32600",
          "400 -32020",
          "400 -32022",
          "400 -32602",
          "404 -32600",
          "406 -32600",
          "415 -32600",
        ]).toContain(said.headers["content-type"] === "text/event-stream" ? "200 result" : verdict(said));
        expect(door.calls.length - before).toBe(said.status === 200 ? 1 : 0);
      }),
      RUNS,
    );
  });
});

describe("bytes on the wire", () => {
  const whole = (): Buffer => {
    const body = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"a":"é"}}}';
    const headers = Object.entries({ ...session.headers, host: "localhost", connection: "close" });
    const lines = headers.map(([name, text]) => `${name}: ${text}\r\n`).join("");
    return Buffer.from(`POST /mcp HTTP/1.1\r\n${lines}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  };

  const send = (frames: readonly Uint8Array[]): Promise<string> =>
    new Promise((resolve) => {
      let text = "";
      const socket = connect(Number(new URL(door.origin).port), "127.0.0.1");
      socket.setNoDelay(true);
      socket.on("data", (chunk: Buffer) => (text += chunk.toString()));
      socket.on("error", () => {});
      socket.on("close", () => resolve(text));
      const write = async (): Promise<void> => {
        for (const frame of frames) {
          socket.write(frame);
          await new Promise(setImmediate);
        }
        socket.end();
      };
      socket.on("connect", () => void write());
    });

  it("cut into frames anywhere mean the same", async () => {
    const bytes = whole();
    const expected = (await send([bytes])).replace(/^date: .*\r\n/im, "");
    expect(expected).toContain('\\"a\\":\\"é\\"');
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat({ max: bytes.length }), { maxLength: 8 }), async (cuts) => {
        const at = [0, ...cuts.toSorted((a, b) => a - b), bytes.length];
        const frames = at.slice(1).map((end, index) => bytes.subarray(at[index], end));
        expect((await send(frames)).replace(/^date: .*\r\n/im, "")).toBe(expected);
      }),
      { numRuns: 100 },
    );
  });

  it("spoiled anywhere are answered or cut off, and the next caller notices nothing", async () => {
    const bytes = whole();
    const change = fc.record({
      at: fc.nat({ max: bytes.length - 1 }),
      drop: fc.nat({ max: 4 }),
      put: fc.uint8Array({ maxLength: 4 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 4 }), async (changes) => {
        let spoiled = bytes;
        for (const { at, drop, put } of changes) {
          spoiled = Buffer.concat([spoiled.subarray(0, at), put, spoiled.subarray(at + drop)]);
        }
        const text = await send([spoiled]);
        if (text !== "") expect(text).toMatch(/^HTTP\/1.1 (200|202|400|401|403|404|405|406|413|415|421|431|501|505) /);
        expect((await session.call("ping")).status).toBe(200);
      }),
      RUNS,
    );
  });
});
