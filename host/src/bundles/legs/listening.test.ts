import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { Connection } from "../connection.ts";
import { connectHttp } from "./connect-http.ts";
import { call, fixture, LIMITS, NO_EVENTS, startHttp } from "./process-for-tests.ts";

interface Watched {
  readonly server: Connection;
  readonly heard: (string | null)[];
  /** What the server saw: streams opened and closed, by position, with their resources. */
  readonly seen: () => string[];
}

const start = async (): Promise<Watched> => {
  const dir = mkdtempSync(join(tmpdir(), "bailiwick-listening-"));
  const file = join(dir, "seen");
  const { port, stop } = await startHttp([fixture("watched-server.mjs"), "modern-http", file]);
  const heard: (string | null)[] = [];
  const server = await connectHttp({
    url: `http://127.0.0.1:${port}/mcp`,
    headers: {},
    rules: { allowInsecureRemotes: true, allowPrivateRemotes: [] },
    limits: LIMITS,
    events: { ...NO_EVENTS, resourceUpdated: (uri) => heard.push(uri) },
    signal: new AbortController().signal,
    hostVersion: "0.0.0",
  });
  onTestFinished(async () => {
    await server.close("the test is over");
    stop();
    rmSync(dir, { recursive: true, force: true });
  });
  return { server, heard, seen: () => positions(readFileSync(file, "utf8")) };
};

/** Ids are long numbers: the first stream becomes 1, the second 2. */
const positions = (text: string): string[] => {
  const ids: string[] = [];
  return text
    .split("\n")
    .filter(Boolean)
    .map((line) => {
      const [verb = "", id = "", uris = ""] = line.split(" ");
      if (!ids.includes(id)) ids.push(id);
      return `${verb} ${ids.indexOf(id) + 1} ${uris}`.trim();
    });
};

test("one stream carries all that is watched; the next is open before the last one closes", async () => {
  const { server, heard, seen } = await start();
  expect(server.watches()).toBe(true);
  await expect.poll(seen).toEqual(["open 1"]);
  server.watch(new Set(["test://a"]));
  await expect.poll(seen).toEqual(["open 1", "open 2 test://a", "close 1"]);
  server.watch(new Set(["test://a", "test://b"]));
  await expect.poll(seen).toEqual(["open 1", "open 2 test://a", "close 1", "open 3 test://a,test://b", "close 2"]);
  await call(server, "touch", '{"uri":"test://b"}');
  await call(server, "touch", '{"uri":"test://a"}');
  await call(server, "touch", '{"uri":"test://dir"}');
  await expect.poll(() => heard).toEqual(["test://b", "test://a"]);
});

test("nothing is missed while the wish changes many times", async () => {
  const { server, heard, seen } = await start();
  const wanted = new Set(["test://a"]);
  server.watch(wanted);
  await expect.poll(() => seen().at(-1)).toBe("close 1");
  for (let i = 0; i < 50; i++) {
    wanted.add(`test://${i}`);
    server.watch(wanted);
    if (i % 10 === 0) await call(server, "touch", '{"uri":"test://a"}');
  }
  await expect.poll(() => heard.length).toBeGreaterThanOrEqual(5);
  expect(new Set(heard)).toEqual(new Set(["test://a"]));
  await expect.poll(() => seen().findLast((line) => line.startsWith("open"))).toContain("test://49");
  expect(seen().filter((line) => line.startsWith("open")).length).toBeLessThan(30);
});

test(
  "a stream that breaks off is opened again, and everything watched may have changed",
  { timeout: 20_000 },
  async () => {
    const { server, heard, seen } = await start();
    server.watch(new Set(["test://a"]));
    await expect.poll(() => seen().at(-1)).toBe("close 1");
    await call(server, "cut");
    await expect.poll(() => heard, { timeout: 10_000 }).toEqual([null]);
    expect(seen().at(-1)).toBe("open 3 test://a");
    await call(server, "touch", '{"uri":"test://a"}');
    await expect.poll(() => heard).toEqual([null, "test://a"]);
  },
);
