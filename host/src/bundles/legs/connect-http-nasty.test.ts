import { afterEach, describe, expect, it } from "vitest";
import { Refusal } from "../../kernel/refusal.ts";
import type { Connection } from "../connection.ts";
import { connectHttp, CredentialRejected, type HttpOptions } from "./connect-http.ts";
import { call, fixture, LIMITS, NO_EVENTS, startHttp } from "./process-for-tests.ts";

const never = new AbortController().signal;
const ending: (() => unknown)[] = [];

const start = async (): Promise<{ port: string; stop: () => void }> => {
  const server = await startHttp([fixture("raw-http.mjs")]);
  ending.push(server.stop);
  return server;
};

const connect = async (port: string, options: Partial<HttpOptions> & { path?: string } = {}): Promise<Connection> => {
  const { path = "/mcp", ...rest } = options;
  const connection = await connectHttp({
    url: `http://127.0.0.1:${port}${path}`,
    headers: { Authorization: "Bearer t0p", Host: "evil", "Mcp-Session-Id": "forged" },
    rules: { allowInsecureRemotes: true, allowPrivateRemotes: [] },
    limits: LIMITS,
    events: NO_EVENTS,
    signal: never,
    hostVersion: "0.0.0",
    ...rest,
  });
  ending.push(() => connection.close("the test is over"));
  return connection;
};

const refusalOf = async (answer: Promise<unknown>): Promise<Refusal> => {
  const said = await answer.then(
    () => null,
    (error: unknown) => error,
  );
  expect(said).toBeInstanceOf(Refusal);
  return said as Refusal;
};

interface Seen {
  readonly method: string | undefined;
  readonly params?: { readonly name?: string };
  readonly message: unknown;
  readonly headers: Record<string, string>;
}
const seenBy = async (server: Connection): Promise<Seen[]> =>
  (JSON.parse((await call(server, "state")).json) as { seen: Seen[] }).seen;
const callsOf = (seen: readonly Seen[], name: string): Seen[] => seen.filter(({ params }) => params?.name === name);

afterEach(async () => {
  for (const end of ending.splice(0).toReversed()) await end();
});

describe("answers over HTTP", () => {
  it("arrive as they were written, line breaks between tokens aside", async () => {
    const server = await connect((await start()).port);
    expect((await call(server, "odd")).json).toBe('{"content":[],  "big":12345678901234567890123,"one":1.0 }');
    const logs: string[] = [];
    const answer = await call(server, "sse", "{}", { listener: { log: (members) => logs.push(members) } });
    expect(answer.json).toBe('{"content":[], "one":1.0}');
    expect(logs).toEqual(['"level":"info","data":"in between"']);
    expect((await call(server, "sse-left-open")).kind).toBe("result");
    expect(await call(server, "rpc-error-404")).toMatchObject({ kind: "error", code: -32601 });
  });

  it("go on where they broke off if the server gave its events ids", async () => {
    const server = await connect((await start()).port);
    expect((await call(server, "sse-resumed")).json).toContain('"resumed":true');
    const seen = await seenBy(server);
    expect(callsOf(seen, "sse-resumed")).toHaveLength(1);
    expect(seen.some(({ method, headers }) => method === "GET" && headers["last-event-id"] === "e1")).toBe(true);
  });

  it.each(["sse-cut", "reset"])(
    "that break off for good (%s) leave the outcome unknown, and nothing is sent twice",
    async (name) => {
      const server = await connect((await start()).port);
      await call(server, "echo", '{"text":"the socket is used before"}');
      expect(await refusalOf(call(server, name))).toMatchObject({
        kind: "indeterminate",
        details: { error: "connection_lost" },
      });
      expect(callsOf(await seenBy(server), name)).toHaveLength(1);
    },
  );

  it.each(["sse-huge", "json-huge"])("that are too large (%s) fail their call only", async (name) => {
    const server = await connect((await start()).port, { limits: { ...LIMITS, maxMessageBytes: 100_000 } });
    expect(await refusalOf(call(server, name, '{"bytes":5000000}'))).toMatchObject({
      kind: "upstream_failed",
      details: { reason: "message_too_large" },
    });
    expect((await call(server, "echo", '{"text":"fine"}')).json).toContain("fine");
  });

  it("that are no answers fail their call only", async () => {
    const server = await connect((await start()).port);
    expect((await refusalOf(call(server, "html"))).details).toMatchObject({ reason: "no_answer" });
    expect((await refusalOf(call(server, "not-utf8"))).details).toMatchObject({ reason: "not_utf8" });
    expect(await refusalOf(call(server, "status", '{"status":403}'))).toMatchObject({
      kind: "upstream_failed",
      details: { status: 403 },
    });
    expect((await refusalOf(call(server, "status", '{"status":429}'))).kind).toBe("upstream_failed");
    expect((await refusalOf(call(server, "status", '{"status":502}'))).kind).toBe("indeterminate");
    expect((await call(server, "echo", '{"text":"fine"}')).json).toContain("fine");
  });

  it("to the server's own questions say that nothing of the kind is offered", async () => {
    const server = await connect((await start()).port);
    await call(server, "ask");
    const replies = (await seenBy(server)).filter(({ method }) => method === undefined);
    expect(replies.map(({ message }) => message)).toMatchObject([{ id: "q1", error: { code: -32601 } }]);
  });
});

describe("a legacy session over HTTP", () => {
  it("carries its own headers and the entry's credential", async () => {
    const { port } = await start();
    const server = await connect(port);
    const [echo] = callsOf((await call(server, "echo"), await seenBy(server)), "echo");
    expect(echo?.headers).toMatchObject({
      authorization: "Bearer t0p",
      host: `127.0.0.1:${port}`,
      "mcp-session-id": "s1",
      "mcp-protocol-version": "2025-06-18",
    });
    expect(echo?.headers).not.toHaveProperty("mcp-method");
  });

  it("hears of changes on its standing stream", async () => {
    let changes = 0;
    const server = await connect((await start()).port, { events: { ...NO_EVENTS, listChanged: () => changes++ } });
    await expect.poll(async () => (await call(server, "change"), changes)).toBeGreaterThan(0);
  });

  it("is made anew when the server forgot it, and the call is sent once more", async () => {
    let changes = 0;
    const server = await connect((await start()).port, { events: { ...NO_EVENTS, listChanged: () => changes++ } });
    await call(server, "forget");
    const texts = ["a", "b", "c"];
    const answers = await Promise.all(texts.map((text) => call(server, "echo", JSON.stringify({ text }))));
    expect(answers.map(({ json }) => json)).toEqual(
      texts.map((text) => expect.stringContaining(`"${text}"`) as string),
    );
    const seen = await seenBy(server);
    expect(seen.filter(({ method }) => method === "initialize")).toHaveLength(2);
    expect(changes).toBeGreaterThan(0);
  });

  it("is told of a cancellation", async () => {
    const server = await connect((await start()).port);
    const caller = new AbortController();
    const answer = refusalOf(call(server, "silent", "{}", { signal: caller.signal }));
    await seenBy(server);
    caller.abort();
    expect(await answer).toMatchObject({ kind: "indeterminate", details: { error: "cancelled" } });
    expect((await seenBy(server)).filter(({ method }) => method === "notifications/cancelled")).toHaveLength(1);
  });
});

describe("a server that cannot be had", () => {
  it("is unreachable, and a call to it was certainly not sent", async () => {
    const { port, stop } = await start();
    const server = await connect(port);
    stop();
    await expect.poll(async () => (await refusalOf(call(server, "echo"))).kind).toBe("not_ready");
    expect((await server.ended).reason).toMatch(/^unreachable: /);
    await expect(connect(port)).rejects.toThrow("unreachable: ECONNREFUSED");
  });

  it("ends for good when it rejects the credential", async () => {
    const { port } = await start();
    const server = await connect(port);
    await call(server, "reject-auth");
    expect((await refusalOf(call(server, "echo"))).details).toMatchObject({ reason: "auth_rejected" });
    expect(await server.ended).toMatchObject({ authRejected: true });
    await expect(connect(port)).rejects.toThrow(CredentialRejected);
  });

  it("is not connected to where the network rules refuse it", async () => {
    const { port } = await start();
    const rules = { allowInsecureRemotes: false, allowPrivateRemotes: [] };
    await expect(connect(port, { rules })).rejects.toThrow("allowInsecureRemotes");
  });
});

describe("redirects", () => {
  it("are followed with the method and body kept", async () => {
    const server = await connect((await start()).port, { path: "/moved" });
    expect((await call(server, "echo", '{"text":"moved"}')).json).toContain("moved");
  });

  it("end after three", async () => {
    await expect(connect((await start()).port, { path: "/loop" })).rejects.toThrow("redirects more than 3 times");
  });

  it("take no credential and no session to another origin", async () => {
    const target = await start();
    const first = await start();
    await connect(first.port, { path: `/away/${target.port}` }).catch(() => null);
    const seen = await seenBy(await connect(target.port));
    const away = seen.find(({ headers }) => headers["host"]?.startsWith("localhost"));
    expect(away?.method).toBe("server/discover");
    expect(away?.headers).not.toHaveProperty("authorization");
  });
});
