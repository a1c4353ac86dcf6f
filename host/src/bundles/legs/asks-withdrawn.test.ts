import { expect, onTestFinished, test } from "vitest";
import { rawJson } from "../../kernel/raw-json.ts";
import type { Connection } from "../connection.ts";
import { createAsker, elicit, seenBy } from "./asker-for-tests.ts";
import { connectHttp } from "./connect-http.ts";
import { connectStdio } from "./connect-stdio.ts";
import { call, fixture, LIMITS, NO_EVENTS, startHttp, startProcess } from "./process-for-tests.ts";

const common = { limits: LIMITS, events: NO_EVENTS, signal: new AbortController().signal, hostVersion: "0.0.0" };

const connect = async (wire: string): Promise<Connection> => {
  if (wire === "stdio") {
    const child = startProcess([fixture("asking-server.mjs"), "stdio"]);
    onTestFinished(() => child.stop());
    return connectStdio(child, common);
  }
  const { port, stop } = await startHttp([fixture("asking-server.mjs"), "http"]);
  onTestFinished(stop);
  const rules = { allowInsecureRemotes: true, allowPrivateRemotes: [] };
  const connection = await connectHttp({ ...common, url: `http://127.0.0.1:${port}/mcp`, headers: {}, rules });
  onTestFinished(() => connection.close("the test is over"));
  return connection;
};

test.each(["stdio", "http"])(
  "over %s a call that may not go on is cancelled after the answer, and asks nobody any more",
  async (wire) => {
    const server = await connect(wire);
    const no = { kind: "result", json: rawJson('{"action":"cancel"}'), withdraw: true } as const;
    const asker = createAsker("{}", () => no);
    const rounds = JSON.stringify({ questions: [elicit("q1"), elicit("q2")] });
    const ended = call(server, "rounds", rounds, { asker });
    const { replies } = JSON.parse((await ended).json) as { replies: unknown };
    expect(replies).toMatchObject([{ id: "q1", result: { action: "cancel" } }, { id: "q2" }]);
    expect(asker.asked).toHaveLength(1);
    const seen = (await seenBy(server)).map((text) => JSON.parse(text) as { id?: unknown; method?: string });
    const answered = seen.findIndex(({ id }) => id === "q1");
    const cancelled = seen.findIndex(({ method }) => method === "notifications/cancelled");
    expect(answered).toBeGreaterThan(0);
    expect(cancelled).toBeGreaterThan(answered);
  },
);

test("a call that may not go on is over though its server says nothing more", async () => {
  const server = await connect("stdio");
  const asker = createAsker("{}", () => ({ kind: "result", json: rawJson("{}"), withdraw: true }));
  const ended = call(server, "ask-then-silent", JSON.stringify({ questions: [elicit("q1")] }), { asker });
  await expect(ended).rejects.toMatchObject({ kind: "indeterminate", details: { error: "cancelled" } });
});
