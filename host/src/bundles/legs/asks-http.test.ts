import { afterEach, describe, expect, it } from "vitest";
import type { Connection } from "../connection.ts";
import { answersTo, createAsker, elicit, seenBy } from "./asker-for-tests.ts";
import { connectHttp } from "./connect-http.ts";
import { call, fixture, LIMITS, NO_EVENTS, startHttp } from "./process-for-tests.ts";

const ending: (() => unknown)[] = [];
let marks = 0;

const connect = async (limits: Partial<typeof LIMITS> = {}): Promise<Connection> => {
  const { port, stop } = await startHttp([fixture("asking-server.mjs"), "http"]);
  ending.push(stop);
  const connection = await connectHttp({
    url: `http://127.0.0.1:${port}/mcp`,
    headers: {},
    rules: { allowInsecureRemotes: true, allowPrivateRemotes: [] },
    limits: { ...LIMITS, ...limits },
    events: { ...NO_EVENTS, asksShared: () => marks++ },
    signal: new AbortController().signal,
    hostVersion: "0.0.0",
  });
  ending.push(() => connection.close("the test is over"));
  return connection;
};

const questions = (on: string, ...ids: readonly string[]): string =>
  JSON.stringify({ on, questions: ids.map((id) => elicit(id)) });

afterEach(async () => {
  marks = 0;
  for (const end of ending.splice(0).toReversed()) await end();
});

describe("a question over HTTP", () => {
  it("is that call's on whose stream it comes, whoever else calls", async () => {
    const server = await connect();
    const callers = ["ann", "bob", "cid"].map((owner) => ({ owner, asker: createAsker() }));
    const answers = callers.map((caller) => {
      const ids = [`${caller.owner}1`, `${caller.owner}2`];
      return call(server, "ask", questions("post", ...ids), caller);
    });
    for (const { owner, asker } of callers) {
      const own = [1, 2].map((n) => expect.stringContaining(`"${owner}${n}"`) as string);
      await expect.poll(() => asker.asked.map(({ params }) => params)).toEqual(own);
    }
    for (const { owner, asker } of callers) {
      asker.answer(`{"to":"${owner}","n":1.0}`);
      asker.answer("{}");
    }
    const said = await Promise.all(answers);
    callers.forEach(({ owner }, i) => {
      const first = `{"jsonrpc":"2.0","id":"${owner}1","result":{"to":"${owner}","n":1.0}}`;
      const second = `{"jsonrpc":"2.0","id":"${owner}2","result":{}}`;
      expect(said[i]?.json).toBe(`{"content":[],"replies":[${first},${second}]}`);
    });
    expect(marks).toBe(0);
  });

  it("on the standing stream is the one call's that runs, and nobody's beside several", async () => {
    const server = await connect();
    const asker = createAsker();
    // The standing stream is opened beside the handshake.
    await expect
      .poll(async () => {
        if (asker.asked.length > 0) return true;
        void call(server, "ask", questions("get", "q1"), { asker, owner: "ann" }).catch(() => null);
        await new Promise((resolve) => setTimeout(resolve, 100));
        return asker.asked.length > 0;
      })
      .toBe(true);
    asker.answer("{}");
    const other = createAsker();
    const silent = call(server, "silent", "{}", { owner: "bob", asker: other }).catch(() => null);
    await call(server, "ask", questions("get", "q2"), { asker, owner: "ann" });
    expect(await answersTo(server, "q2")).toMatchObject([{ error: { code: -32600 } }]);
    expect([other.asked, marks]).toEqual([[], 1]);
    await server.close("the test is over");
    await silent;
  });

  it("fails its call when the server does not take the answer", async () => {
    const server = await connect();
    const asker = createAsker();
    const answer = call(server, "ask", questions("post", "gone"), { asker });
    await expect.poll(() => asker.asked.length).toBe(1);
    asker.answer("{}");
    await expect(answer).rejects.toMatchObject({
      kind: "indeterminate",
      message: expect.stringContaining("HTTP 410") as string,
    });
    expect((await call(server, "echo", '{"text":"fine"}')).json).toContain("fine");
  });

  it("ends with the server, and an answer that comes then harms nobody", async () => {
    const server = await connect();
    const asker = createAsker();
    const dying = call(server, "die", questions("post", "q1"), { asker });
    await expect(dying).rejects.toMatchObject({ kind: "indeterminate", details: { error: "connection_lost" } });
    expect(asker.aborted).toHaveLength(1);
    asker.answer("{}");
    // Until it is known that the server is gone, a call may be given to a socket that is already dead.
    await server.ended;
    await expect(call(server, "echo")).rejects.toMatchObject({ kind: "not_ready" });
  });

  it("holds the call's time as long as it is out", async () => {
    const server = await connect({ timeoutMs: 400 });
    const asker = createAsker();
    const answer = call(server, "ask", questions("post", "q1"), { asker });
    await expect.poll(() => asker.asked.length).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    asker.answer("{}");
    expect((await answer).kind).toBe("result");
    expect((await seenBy(server)).some((text) => text.includes("notifications/cancelled"))).toBe(false);
  });
});
