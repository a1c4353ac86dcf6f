import { request } from "node:http";
import { afterEach, describe, expect, it, vi } from "vitest";
import { knock } from "./client-for-tests.ts";
import { openTestDoor, OTHER, OWNER, type TestDoor, type TestDoorOptions } from "./door-for-tests.ts";
import { openStream, type OpenStream } from "./stream-for-tests.ts";
import { WORKSPACE } from "./workspaces-for-tests.ts";

let door: TestDoor;
afterEach(() => door.listener.close());

const open = async (options: TestDoorOptions = {}): Promise<void> => {
  door = await openTestDoor(options);
};

const listen = async (headers: Record<string, string> = {}, key = OWNER): Promise<OpenStream> => {
  const before = door.events.followers();
  const all = { authorization: `Bearer ${key}`, ...headers };
  const stream = openStream(door.origin, { method: "GET", path: "/v1/events", headers: all });
  expect(await stream.status).toBe(200);
  await vi.waitFor(() => expect(door.events.followers()).toBe(before + 1));
  return stream;
};

const say = (n: number, workspace = WORKSPACE): void => door.events.publish(workspace, { type: "t", data: { n } });
const numbersOf = ({ events }: OpenStream): unknown[] => events.map(({ message }) => message.n ?? message);

describe("the events of a workspace", () => {
  it("come as they happen, numbered, and those of another workspace do not", async () => {
    await open();
    const stream = await listen();
    say(1);
    say(7, "ws_other");
    say(2);
    await stream.until(({ n }) => n === 2);
    expect(stream.events).toEqual([
      { id: "1", message: { n: 1 } },
      { id: "2", message: { n: 2 } },
    ]);
    stream.drop();
    await vi.waitFor(() => expect(door.events.followers()).toBe(0));
  });

  it("are resumed after the last that was heard", async () => {
    await open();
    for (let n = 1; n <= 4; n++) say(n);
    const stream = await listen({ "last-event-id": "2" });
    say(5);
    await stream.until(({ n }) => n === 5);
    expect(numbersOf(stream)).toEqual([3, 4, 5]);
  });

  it("say first that some are missing, where they are not kept any more", async () => {
    await open();
    for (let n = 1; n <= 9; n++) say(n);
    const stream = await listen({ "last-event-id": "2" });
    await stream.until(({ n }) => n === 9);
    expect(numbersOf(stream)).toEqual([{ after: 2 }, 5, 6, 7, 8, 9]);
    expect(stream.events[0]?.id).toBeNull();
  });

  it("beat while nothing happens", async () => {
    await open({ timings: { beatMs: 20 } });
    const stream = await listen();
    const { message } = await stream.until(({ timestamp }) => timestamp !== undefined);
    expect(Date.parse(message.timestamp)).toBeGreaterThan(0);
  });

  it("end when the credential is revoked, before a word more is said", async () => {
    await open({ timings: { beatMs: 60_000 } });
    const stream = await listen({}, OTHER);
    door.principals.delete(OTHER);
    say(1);
    await stream.ended;
    expect(stream.events).toEqual([]);
    expect(door.events.followers()).toBe(0);
  });

  it("end with the listener", async () => {
    await open();
    const stream = await listen();
    await door.listener.close();
    await stream.ended;
    expect(door.events.followers()).toBe(0);
  });

  it("do not pile up for a reader who does not read; it gets the latest and hears that some are missing", async () => {
    await open();
    const heard: string[] = [];
    const req = request(`${door.origin}/v1/events`, { headers: { authorization: `Bearer ${OWNER}` }, agent: false });
    const { promise: opened, resolve } = Promise.withResolvers<NodeJS.ReadableStream>();
    req.on("response", resolve);
    req.end();
    const response = await opened;
    response.pause();
    await vi.waitFor(() => expect(door.events.followers()).toBe(1));
    const filler = "x".repeat(100_000);
    // Far more than the buffers of a loopback connection take; a turn each, so that what fits is really written.
    for (let n = 1; n <= 300; n++) {
      door.events.publish(WORKSPACE, { type: "t", data: { n, filler } });
      await new Promise(setImmediate);
    }
    response.on("data", (chunk: Buffer) => heard.push(chunk.toString()));
    response.resume();
    await vi.waitFor(() => expect(heard.join("")).toContain('{"n":300,'), { timeout: 10_000 });
    const ids = [...heard.join("").matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));
    expect(ids).toEqual([...new Set(ids)].toSorted((a, b) => a - b));
    expect(ids.length).toBeLessThan(300);
    expect(heard.join("")).toContain("event: gap\n");
    req.destroy();
  });
});

describe("who asks for events", () => {
  it.each([
    ["nobody", {}, 401],
    ["somebody with a strange last id", { authorization: `Bearer ${OWNER}`, "last-event-id": "x" }, 400],
    ["somebody of another workspace", { authorization: `Bearer ${OTHER}`, "x-workspace-id": "ws_secret" }, 404],
  ])("%s is refused", async (_, headers, status) => {
    await open();
    expect((await knock(door.origin, { method: "GET", path: "/v1/events", headers })).status).toBe(status);
    expect(door.events.followers()).toBe(0);
  });

  it("may have so many streams and no more", async () => {
    await open();
    const streams = Array.from({ length: 32 }, () =>
      openStream(door.origin, { method: "GET", path: "/v1/events", headers: { authorization: `Bearer ${OWNER}` } }),
    );
    expect(await Promise.all(streams.map(({ status }) => status))).toEqual(streams.map(() => 200));
    const headers = { authorization: `Bearer ${OWNER}` };
    const said = await knock(door.origin, { method: "GET", path: "/v1/events", headers });
    expect(said).toMatchObject({ status: 429, json: { error: "rate_limited" } });
    await listen({}, OTHER);
  });
});
