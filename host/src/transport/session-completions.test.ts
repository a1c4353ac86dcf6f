import { afterEach, describe, expect, it } from "vitest";
import type { Completed } from "../kernel/ask.ts";
import type { HandleCall } from "../kernel/call.ts";
import { rawJson } from "../kernel/raw-json.ts";
import { answerWith } from "./asking-call-for-tests.ts";
import { knock, modern, openSession } from "./client-for-tests.ts";
import { openTestDoor, OTHER, OWNER, type TestDoor } from "./door-for-tests.ts";
import { SessionAsks } from "./session-asks.ts";
import { META_CAPABILITIES } from "./protocol.ts";
import { openStream, type OpenStream } from "./stream-for-tests.ts";
import { openTalk } from "./talk-for-tests.ts";

const PAGES = { elicitation: { form: {}, url: {} } };
const PAGE = { method: "elicitation/create", params: rawJson('{"mode":"url"}'), key: null } as const;
const NOTICE = "notifications/elicitation/complete";
const isDone = ({ method }: any): boolean => method === NOTICE;

let door: TestDoor;
/** One for each call that ran, in their order. */
let told: (Completed | null)[];
afterEach(() => door.listener.close());

const open = async (): Promise<void> => {
  told = [];
  const handleCall: HandleCall = (raw) => {
    told.push(raw.asker.completion?.(PAGE) ?? null);
    return Promise.resolve(answerWith('{"content":[]}'));
  };
  door = await openTestDoor({ handleCall });
};

type Session = Awaited<ReturnType<typeof openSession>>;
const start = async (key = OWNER, capabilities: object = PAGES): Promise<Session> => {
  const session = await openSession(door.origin, "2025-11-25", "/mcp", key, capabilities);
  await session.post({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "x", arguments: {} } });
  return session;
};
const listen = ({ headers }: Session): OpenStream => openStream(door.origin, { method: "GET", headers });
const done = (call: number, id: string): void => told[call]?.(rawJson(`{"elicitationId":"${id}","n":1.0}`));
const heardBy = ({ events }: OpenStream): string[] =>
  events.filter(({ message }) => isDone(message)).map(({ message }) => message.params.elicitationId);

describe("that a person is done with a page", () => {
  it("is heard by the session whose call sent them there, after the call, and by no other", async () => {
    await open();
    const sessions = [await start(), await start(), await start(OTHER)];
    const streams = sessions.map(listen);
    await Promise.all(streams.map(({ status }) => status));
    done(0, "p1");
    expect((await streams[0]!.until(isDone)).message).toEqual({
      jsonrpc: "2.0",
      method: NOTICE,
      params: { elicitationId: "p1", n: 1 },
    });
    done(1, "p2");
    done(2, "p3");
    await Promise.all([streams[1]!.until(isDone), streams[2]!.until(isDone)]);
    expect(streams.map(heardBy)).toEqual([["p1"], ["p2"], ["p3"]]);
    for (const stream of streams) stream.drop();
  });

  it("waits for a client that does not listen, the newest of them", async () => {
    await open();
    const session = await start();
    for (let i = 0; i < 40; i++) done(0, `p${i}`);
    const stream = listen(session);
    await stream.until(({ params }) => params?.elicitationId === "p39");
    expect(heardBy(stream)).toEqual(Array.from({ length: 32 }, (_, i) => `p${i + 8}`));
    stream.drop();
  });

  it("is heard on a pipe", async () => {
    await open();
    const talk = openTalk(door);
    await talk.initialize(PAGES, "2025-11-25");
    talk.request(1, "tools/call", { name: "x", arguments: {} });
    await talk.answer(1);
    done(0, "p1");
    expect((await talk.until(isDone)).params).toEqual({ elicitationId: "p1", n: 1 });
    talk.drop();
  });

  it("is kept by nobody for a session that ended", () => {
    const heard: string[] = [];
    const asks = new SessionAsks(600, (params) => void heard.push(params));
    asks.completed(rawJson("1"));
    asks.end();
    asks.completed(rawJson("2"));
    expect(heard).toEqual(["1"]);
  });

  it("is nothing that a client of the modern era, or one that cannot be asked, could hear", async () => {
    await open();
    await start(OWNER, {});
    await knock(door.origin, modern("tools/call", { name: "x", _meta: { [META_CAPABILITIES]: PAGES } }));
    expect(told).toEqual([null, null]);
  });
});
