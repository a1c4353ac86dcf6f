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
