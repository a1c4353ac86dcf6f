import { once } from "node:events";
import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { StdioOutbox } from "./stdio-outbox.ts";

test("answers for a server that asks and does not read are kept up to a limit, and go out when it reads", async () => {
  const stdin = new PassThrough({ highWaterMark: 1 });
  const outbox = new StdioOutbox(stdin, () => {});
  outbox.send("first");
  await new Promise((resolve) => process.nextTick(resolve));
  expect(outbox.writable()).toBe(false);
  const answer = "x".repeat(4_000_000);
  let kept = 0;
  while (outbox.answer(answer)) kept++;
  expect(kept).toBe(5);
  // What the host says by itself is dropped long before.
  outbox.reply("dropped");
  let read = "";
  stdin.on("data", (chunk: Buffer) => (read += chunk.toString("latin1")));
  await once(stdin, "drain");
  await expect.poll(() => read.length).toBe("first\n".length + kept * (answer.length + 1));
  expect(outbox.answer("again")).toBe(true);
});

test("large answers go out one by one behind all else, and whoever sends them knows when each was taken", async () => {
  const stdin = new PassThrough({ highWaterMark: 1 });
  const outbox = new StdioOutbox(stdin, () => {});
  const taken: string[] = [];
  const deliver = (name: string): void => {
    const delivered = outbox.deliver(name.repeat(10_000));
    void delivered.then(() => taken.push(name));
  };
  deliver("a");
  deliver("b");
  await new Promise((resolve) => setImmediate(resolve));
  expect(taken).toEqual(["a"]);
  // What waits apart is not held against those whose answers a call cannot do without.
  for (let i = 0; i < 2_000; i++) deliver("c");
  expect(outbox.answer("caller")).toBe(true);
  outbox.reply("host");
  let read = "";
  stdin.on("data", (chunk: Buffer) => (read += chunk.toString("latin1")));
  await expect.poll(() => taken.length, { timeout: 10_000 }).toBe(2_002);
  await expect.poll(() => read.length, { timeout: 10_000 }).toBe(2_002 * 10_001 + "caller\nhost\n".length);
  const lines = read.split("\n").map((line) => (line.length > 100 ? line[0] : line));
  expect(lines.slice(0, 5)).toEqual(["a", "caller", "host", "b", "c"]);
});
