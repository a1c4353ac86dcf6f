/** Who is asked for roots when the reader of a session's stream is slow, or may hear nothing any more. */
import { afterEach, describe, expect, it } from "vitest";
import type { Principal } from "../kernel/principal.ts";
import { rawJson } from "../kernel/raw-json.ts";
import type { MessageStream } from "./message-stream.ts";
import { Sessions, type Session } from "./sessions.ts";

const WHO: Principal = {
  id: "person:owner",
  kind: "person",
  onBehalfOf: null,
  roles: [],
  permissions: [],
  assurance: "credential",
  scopes: null,
  workspace: "default",
  credentialId: "owner",
};

/** A stream whose reader is as slow as the test says. */
class TestStream implements MessageStream {
  readonly written: any[] = [];
  ended = false;
  slow = false;
  #drained: () => void = () => {};
  #closed: () => void = () => {};

  write(text: string): void {
    this.written.push(JSON.parse(text));
  }
  end(): void {
    this.ended = true;
    this.#closed();
  }
  onDrain(listener: () => void): void {
    this.#drained = listener;
  }
  onClose(listener: () => void): void {
    this.#closed = listener;
  }
  catchUp(): void {
    this.slow = false;
    this.#drained();
  }
}

let sessions: Sessions;
afterEach(() => sessions.close());

const open = (): Session => {
  sessions = new Sessions({ idleSeconds: 1800, holdSeconds: 600 });
  const session = sessions.open({
    principal: WHO,
    provider: null,
    version: "2025-11-25",
    declared: { json: rawJson('{"roots":{}}'), value: { roots: {} } },
    via: "http",
    notices: [],
  });
  session.roots.start();
  return session;
};
const listen = (session: Session, stream: TestStream, mayHear = true): void =>
  session.streams.add({ stream, mayHear: () => mayHear, missed: [] });
const answer = ({ asks }: Session, id: string, uri: string): void => {
  const value = { jsonrpc: "2.0", id, result: { roots: [{ uri }] } };
  asks.take({ text: JSON.stringify(value), value }, { kind: "none" });
};

describe("a question for roots", () => {
  it("waits for a reader that is slow, so that one who answers unread questions makes none pile up", () => {
    const session = open();
    const stream = new TestStream();
    listen(session, stream);
    expect(stream.written).toHaveLength(1);
    answer(session, stream.written[0].id, "file:///1");
    stream.slow = true;
    for (let i = 2; i < 100; i++) {
      session.roots.change();
      answer(session, `bw-${i}`, `file:///${i}`);
    }
    expect(stream.written).toHaveLength(1);
    expect(session.roots.current?.listed).toEqual([]);
    stream.catchUp();
    expect(stream.written).toHaveLength(2);
    answer(session, stream.written[1].id, "file:///now");
    expect(session.roots.current?.listed).toEqual([{ uri: "file:///now", name: null }]);
    stream.catchUp();
    expect(stream.written).toHaveLength(2);
  });

  it("is not put to a reader whose credential was revoked, but to the next", () => {
    const session = open();
    const [revoked, stream] = [new TestStream(), new TestStream()];
    listen(session, revoked, false);
    expect([revoked.ended, revoked.written]).toEqual([true, []]);
    listen(session, stream);
    expect(stream.written).toMatchObject([{ method: "roots/list" }]);
  });

  it("goes to the newest stream alone", () => {
    const session = open();
    const [first, second] = [new TestStream(), new TestStream()];
    listen(session, first);
    answer(session, first.written[0].id, "file:///1");
    listen(session, second);
    session.roots.change();
    expect([first.written.length, second.written.length]).toEqual([1, 1]);
  });

  it("is over with its session, and holds no timer", () => {
    const session = open();
    const stream = new TestStream();
    listen(session, stream);
    expect(session.asks.size).toBe(1);
    sessions.end(session);
    expect([session.asks.size, session.roots.pending, session.roots.current]).toEqual([0, false, null]);
    session.roots.change();
    expect(stream.written).toHaveLength(1);
  });
});
